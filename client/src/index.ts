/** A typed client of the edge game storage service. */
import { operationsOf } from './operations.ts'
import type { ClientOptions } from './options.ts'
import { Transport } from './transport.ts'
import { uploader } from './upload/upload.ts'

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
export type { Content, SeekableContent } from './upload/content.ts'
export { StorageError } from './upload/put.ts'
export type {
  AssetUpload,
  CompletedAsset,
  CompletedFile,
  FileUpload,
  ResumedUpload,
  UploadProgress,
} from './upload/upload.ts'

/** Makes a client of the service at `baseUrl`, for the user of the token. */
export function createClient(options: ClientOptions) {
  const transport = new Transport(options)
  const operations = operationsOf(transport)
  return { ...operations, upload: uploader(transport, operations) }
}

export type Client = ReturnType<typeof createClient>
