import { z } from '@hono/zod-openapi'
import { type Act, type Party, there } from './act.ts'
import { bytesOf } from './content.ts'
import type { OpenUpload } from './ledger.ts'

/** Acts that send content to where the service has signed for it. */

const PartUrls = z.object({
  parts: z.tuple([z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })]),
})

/** R2 takes no less for a part that is not the last; the server is told to begin parts above it. */
export const PART_SIZE = 5 * 1024 ** 2

/** Sends the content of an upload to its URL. When the server was killed meanwhile, it may be there already. */
export function sendContent({ id, purpose, content, way, sent }: OpenUpload): Act {
  if (!('url' in way)) throw new Error('it comes in parts')
  return {
    kind: `send ${purpose}`,
    request: {
      intent: `send the content of ${id}`,
      about: [id],
      method: 'PUT',
      path: way.url,
      headers: way.headers,
      body: bytesOf(content),
    },
    settle({ status, body }, attempt) {
      if (status !== 200 && !(status === 412 && attempt === 'again'))
        throw new Error(`the PUT answered ${status} ${JSON.stringify(body)}`)
      sent[0] = 'sent'
    },
  }
}

/** Asks for the URL of the next part, and makes the act that sends it. Undefined when the server is killed meanwhile. */
export async function sendPart({ wire }: Party, upload: OpenUpload): Promise<Act | undefined> {
  const { id, content, sent } = upload
  const part_number = sent.length + 1
  const handedOut = await wire.send({
    intent: `ask for part ${part_number} of ${id}`,
    about: [id],
    method: 'POST',
    path: `/uploads/${id}/parts`,
    json: { part_numbers: [part_number] },
  })
  if (!handedOut) return undefined
  const [{ url, headers }] = PartUrls.parse(handedOut.body).parts
  return {
    kind: 'send a part',
    request: {
      intent: `send part ${part_number} of ${id}`,
      about: [id],
      method: 'PUT',
      path: url,
      headers,
      body: bytesOf(content).subarray((part_number - 1) * PART_SIZE, part_number * PART_SIZE),
    },
    settle({ status, headers, body }) {
      if (status !== 200) throw new Error(`the PUT of a part answered ${status} ${JSON.stringify(body)}`)
      sent[part_number - 1] = there(headers.get('ETag') ?? undefined)
    },
  }
}

/** Whether all of an upload has been sent. */
export function isSent({ content, sent, way }: OpenUpload): boolean {
  return sent.length === ('url' in way ? 1 : Math.ceil(content.size_bytes / way.part_size))
}

/** Sends content to the URL of an upload that has been aborted. It may come through, and must lead to nothing. */
export function sendLate({ id, way, content }: OpenUpload): Act {
  if (!('url' in way)) throw new Error('it comes in parts')
  return {
    kind: 'send late',
    request: {
      intent: `send content to ${id}, which has been aborted`,
      about: [id],
      method: 'PUT',
      path: way.url,
      headers: way.headers,
      body: bytesOf(content),
    },
    settle({ status, body }) {
      if (![200, 403, 412].includes(status))
        throw new Error(`the late PUT answered ${status} ${JSON.stringify(body)}`)
    },
  }
}
