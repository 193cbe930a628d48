import { bodyOf, bodyWithEtag } from './answers.ts'
import type { Arguments } from './arguments.ts'
import { type BytesSource, bytesOf } from './bytes.ts'
import type { ChangeOptions, CreationOptions, RequestOptions } from './options.ts'
import type { Bytes, Sent, Transport } from './transport.ts'

/** The content of a request, and what is said about it. */
export interface GivenBytes extends Omit<Bytes, 'content'> {
  content: BytesSource
}

/** The methods of the operations whose request or answer is content. `client.upload` and `client.download` choose them by size. */
export function contentOperationsOf(transport: Transport) {
  const { http } = transport
  return {
    /** Create a file with its content, in one request. For small content; `client.upload` takes any. */
    createContent: async (
      query: Arguments<'createContent'>,
      given: GivenBytes,
      options: CreationOptions = {},
    ) => {
      const bytes = sent(given)
      return bodyOf(
        http.POST('/v1/files/content', {
          ...transport.creating(options, bytes),
          ...bodyWith(bytes),
          params: { query },
        }),
      )
    },
    /** Replace the content of a file, in one request. For small content; `client.upload` takes any. */
    replaceContent: async (
      { id }: Arguments<'replaceContent'>,
      given: GivenBytes,
      options: ChangeOptions & Sent = {},
    ) => {
      const bytes = sent(given)
      return bodyWithEtag(
        http.PUT('/v1/files/{id}/content', {
          ...transport.repeatable(options, bytes),
          ...bodyWith(bytes),
          params: { path: { id } },
        }),
      )
    },
    /** Set the preview of an asset: a PNG, JPEG or WebP picture of at most 1 MiB, told by its bytes. */
    setPreview: async (
      { id }: Arguments<'setPreview'>,
      given: GivenBytes,
      options: ChangeOptions & Sent = {},
    ) => {
      const bytes = sent(given)
      return bodyWithEtag(
        http.PUT('/v1/game/assets/{id}/preview', {
          ...transport.repeatable(options, bytes),
          ...bodyWith(bytes),
          params: { path: { id } },
        }),
      )
    },
    /** Get the content of a small file, as a `Response` whose body has not been read. `client.download` takes any file. */
    getContent: async ({ id }: Arguments<'getContent'>, options: RequestOptions = {}) => {
      const init = { ...transport.downloading(options), params: { path: { id } } }
      return (await http.GET('/v1/files/{id}/content', init)).response
    },
  }
}

/** @throws TypeError when the content is no bytes */
const sent = (given: GivenBytes): Bytes => ({ ...given, content: bytesOf(given.content) })

/** The members of openapi-fetch for a body of bytes, whose type in the description is string. */
function bodyWith({ content }: Bytes) {
  return { body: '', bodySerializer: () => content }
}

export type ContentOperations = ReturnType<typeof contentOperationsOf>
