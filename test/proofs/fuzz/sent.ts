import { bytes } from '../../support/content.ts'
import { type Exchange, isMembers } from './learn.ts'

/** One content as a request sent it. */
interface Sent {
  bytes: Uint8Array
  mime_type: unknown
}

const decoder = new TextDecoder()

/** What requests have made the content of files, by the files' ids. */
export class SentContents {
  readonly #byFile = new Map<string, Sent[]>()

  /** Notes what an exchange has made content. */
  note({ operation, request, answer }: Exchange): void {
    if (operation?.id !== 'createContent' && operation?.id !== 'replaceContent') return
    if (answer.status >= 300 || !isMembers(answer.body)) return
    const { id, mime_type } = answer.body
    const earlier = this.#byFile.get(String(id)) ?? []
    this.#byFile.set(String(id), [...earlier, { bytes: bytes(request.body ?? ''), mime_type }])
  }

  /** Whether a text is what a request sent for the file. */
  hasText(file: string, text: string): boolean {
    return this.#of(file).some((sent) => decoder.decode(sent.bytes) === text)
  }

  /** Whether these bytes of this type are what one request sent for the file. */
  hasBytes(file: string, stored: Uint8Array, mime_type: string | undefined): boolean {
    return this.#of(file).some(
      (sent) =>
        sent.mime_type === mime_type &&
        sent.bytes.length === stored.length &&
        stored.every((byte, index) => byte === sent.bytes[index]),
    )
  }

  #of(file: string): Sent[] {
    return this.#byFile.get(file) ?? []
  }
}
