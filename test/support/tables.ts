import { scopes } from '../../src/platform/auth/scopes.ts'
import { errorCodes } from '../../src/platform/errors.ts'

/** The tables of the service that documents, descriptions and commands are compared with. */

/** The status of each error code. */
export const statusOfCode: ReadonlyMap<string, number> = new Map(
  Object.entries(errorCodes).map(([code, [status]]) => [code, status]),
)

/** What each scope allows. */
export const allowedByScope: Readonly<Record<string, string>> = scopes
