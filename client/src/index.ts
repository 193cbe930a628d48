/** A typed client of the edge game storage service. */
import type { ClientOptions } from './options.ts'

export { type ErrorCode, NetworkError, ServiceError } from './errors.ts'
export type { ClientOptions, RequestOptions, RetryOptions } from './options.ts'
export type { components, operations, paths } from './schema.d.ts'
export type { TokenSource } from './token.ts'

/** Makes a client of the service at `baseUrl`, for the user of the token. */
export function createClient(options: ClientOptions) {
  return { options }
}
