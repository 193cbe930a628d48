/** Uploads content in parts, in any order, and repeats a lost one. */
import { PartUrls, type UploadedPart } from './answers.ts'
import { bytes, printFact, printRequest, send, type User } from './client.ts'
import type { Content } from './content.ts'
import { withProgress } from './progress.ts'
import { breakOff, put, requireOk } from './transfer.ts'

/** An upload in parts, from the answer to its start. */
export interface Parts {
  upload_id: string
  part_size: number
  part_count: number
}

/**
 * Gets URLs for some parts, sends them and records those that have arrived. The part that is to be lost is aborted
 * half-way and is not recorded.
 *
 * @throws RequestError
 */
export async function sendParts(
  user: User,
  { upload_id, part_size }: Parts,
  part_numbers: number[],
  content: Content,
  lost?: number,
): Promise<void> {
  const path = `/v1/uploads/${upload_id}/parts`
  const { body } = await send(user, 'POST', path, PartUrls, { json: { part_numbers } })
  const read = (part_number: number, length: number) => {
    const start = (part_number - 1) * part_size
    return content.read(start, Math.min(start + length, content.size_bytes))
  }
  const total = body.parts.reduce((sum, { headers }) => sum + Number(headers['Content-Length']), 0)

  const uploaded = await withProgress('sent', total, async (counter) => {
    const arrived: UploadedPart[] = []
    for (const part of body.parts) {
      const { part_number, url } = part
      if (part_number === lost) {
        await breakOff(part, read(part_number, part_size / 2), counter())
        continue
      }
      const response = await put(part, read(part_number, part_size), counter())
      await requireOk('PUT', url, response)
      response.resume()
      arrived.push({ part_number, etag: response.headers.etag ?? '' })
    }
    return arrived
  })
  const url = body.parts[0]?.url ?? ''
  printRequest('PUT', url, `200, ${uploaded.length} times`)
  printFact('arrived', `parts ${listed(uploaded)}`)
  if (lost !== undefined) {
    printRequest('PUT', url, 'no answer: the connection broke')
    printFact('lost', `part ${lost}, after ${bytes(part_size / 2)}`)
  }
  await send(user, 'POST', path, PartUrls, { json: { uploaded } })
}

/** The numbers of parts, in words. */
export function listed(parts: { part_number: number }[]): string {
  return parts.map(({ part_number }) => part_number).join(', ')
}
