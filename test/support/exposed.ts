/** What tests that import nothing of `src` take from it. Those in Node take it, too. */
import { describeSocket } from '../../src/features/notifications/asyncapi.ts'
import { scopes } from '../../src/platform/auth/scopes.ts'
import { errorCodes } from '../../src/platform/errors.ts'

export type { GameAssetType } from '../../src/platform/db/enumerations.ts'
/** The ids of rows that a test writes itself, and the partitions that these belong to, as the service makes them. */
export { newId, partitionNumber, partitionOf } from '../../src/platform/db/id.ts'

/** The description of the socket, without a server: what the sockets of the tests are held to, and what is served. */
export const socketDescription = describeSocket()

/** The status of each error code. */
export const statusOfCode: ReadonlyMap<string, number> = new Map(
  Object.entries(errorCodes).map(([code, [status]]) => [code, status]),
)

/** What each scope allows. */
export const allowedByScope: Readonly<Record<string, string>> = scopes
