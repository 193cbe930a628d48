/** A typed client of the edge game storage service. */
import { operationsOf } from './operations.ts'
import type { ClientOptions } from './options.ts'
import { Transport } from './transport.ts'

export { type ErrorCode, NetworkError, ServiceError } from './errors.ts'
export type { List } from './list.ts'
export type {
  ChangeOptions,
  ClientOptions,
  CreationOptions,
  RequestOptions,
  RetryOptions,
} from './options.ts'
export type { components, operations, paths } from './schema.d.ts'
export type { TokenSource } from './token.ts'

/** Makes a client of the service at `baseUrl`, for the user of the token. */
export function createClient(options: ClientOptions) {
  const transport = new Transport(options)
  return operationsOf(transport)
}

export type Client = ReturnType<typeof createClient>
