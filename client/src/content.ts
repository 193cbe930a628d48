import { bodyOf, bodyWithEtag, type WithEtag } from './answers.ts'
import type { ChangeOptions, CreationOptions, RequestOptions } from './options.ts'
import type { FileRecord, FileType } from './records.ts'
import type { Bytes, Sent, Transport } from './transport.ts'

/** A new file whose content is in the same request. */
interface NewFile {
  name: string
  parent_id?: string | null
  asset_type?: FileType
}

/** The requests that have content in them. */
export interface ContentRequests {
  create(file: NewFile, bytes: Bytes, options: CreationOptions): Promise<FileRecord>
  replace(id: string, bytes: Bytes, options: ChangeOptions & Sent): Promise<WithEtag<FileRecord>>
  /** The body of the answer has not been read. */
  read(id: string, options: RequestOptions): Promise<Response>
}

export function contentRequestsOf(transport: Transport): ContentRequests {
  return {
    create: (file, bytes, options) => bodyOf(transport.creating('/v1/files/content', file, options, bytes)),
    replace: (id, bytes, options) =>
      bodyWithEtag(transport.repeatable('PUT', '/v1/files/{id}/content', { id }, options, bytes)),
    read: (id, options) => transport.reading('/v1/files/{id}/content', { id }, options, 'stream'),
  }
}
