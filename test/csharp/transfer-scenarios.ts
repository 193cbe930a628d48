/** Content that is sent and received. test/csharp/programs/TransferScenarios.cs does the same with the C# client. */
import { createHash } from 'node:crypto'
import { type Client, ContentChangedError, createClient } from '#client'
import { refusal } from '../e2e/client.ts'
import { PART_BYTES } from '../e2e/shared-servers.ts'
import type { Player } from './scenarios.ts'

const open = ({ url, token }: Player): Client => createClient({ baseUrl: url, token })

/** The same bytes for the same number, and others for another. */
function content(size: number, number: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, i) => i * 31 + number * 17 + (i >> 8))
}

export const transferScenarios: Record<string, (player: Player) => Promise<void>> = {
  async uploads(player) {
    const client = open(player)
    const small = await client.files.upload({ content: content(1_000, 1), name: 'small.bin' })
    await client.files.upload({ content: content(0, 2), name: 'empty.bin' })
    const large = await client.files.upload({ content: content(2 * PART_BYTES + 3, 3), name: 'large.bin' })
    await client.files.upload({ content: content(PART_BYTES - 1, 4), name: 'one-put.bin' })
    await client.files.upload({
      content: content(PART_BYTES + 1, 5),
      file_id: small.id,
      mime_type: 'text/plain',
    })
    await client.files.upload({ content: content(10, 6), file_id: large.id })
    const { asset } = await client.assets.upload({
      content: content(100, 7),
      name: 'Harbour',
      asset_type: 'world',
      notes: 'The first.',
      tags: ['sea'],
    })
    await client.assets.upload({
      content: content(PART_BYTES + 1, 8),
      asset_id: asset.id,
      notes: 'In parts.',
    })
    const checksum_sha256 = btoa('\0'.repeat(32))
    await refusal(client.files.upload({ content: content(100, 9), name: 'wrong.bin', checksum_sha256 }))
    const ifMatch = '"0192f3c4-5d6e-7abc-8def-0123456789ab"'
    await refusal(client.files.upload({ content: content(100, 10), file_id: small.id }, { ifMatch }))
    await refusal(
      client.files.upload({ content: content(PART_BYTES + 1, 11), file_id: small.id }, { ifMatch }),
    )
  },

  async 'an upload that is given up'(player) {
    const giveUp = new AbortController()
    const bytes = content(2 * PART_BYTES + 3, 12)
    let upload_id = ''
    await open(player)
      .files.upload(
        { content: bytes, name: 'resumed.bin' },
        {
          parallel: 1,
          signal: giveUp.signal,
          onStarted: ({ id }) => {
            upload_id = id
          },
          onProgress: ({ sent_bytes }) => {
            if (sent_bytes >= PART_BYTES) giveUp.abort()
          },
        },
      )
      .catch(() => {})
    await open(player).files.upload({ content: bytes }, { uploadId: upload_id })
  },

  async 'an upload that is resumed with other content'(player) {
    const client = open(player)
    const [bytes, other] = [content(2 * PART_BYTES + 3, 16), content(2 * PART_BYTES + 3, 17)]
    other.set(bytes.subarray(PART_BYTES, 2 * PART_BYTES), PART_BYTES)
    const giveUp = new AbortController()
    let upload_id = ''
    await client.files
      .upload(
        { content: bytes, name: 'other.bin' },
        {
          parallel: 1,
          signal: giveUp.signal,
          onStarted: ({ id }) => {
            upload_id = id
          },
          onProgress: ({ sent_bytes }) => {
            if (sent_bytes > 2 * PART_BYTES) giveUp.abort()
          },
        },
      )
      .catch(() => {})
    await client.files.upload({ content: other }, { uploadId: upload_id })
    const [one, another] = [content(1_000, 18), content(1_000, 19)]
    const started = { name: 'one-put.bin', size_bytes: one.length, mime_type: 'application/octet-stream' }
    const checksum_sha256 = createHash('sha256').update(one).digest('base64')
    const { id } = await client.uploads.start({ upload_type: 'file', ...started, checksum_sha256 })
    await client.files.upload({ content: another }, { uploadId: id }).then(
      () => Promise.reject(new Error('Expected: CONTENT_CHANGED')),
      (error: unknown) => {
        if (!(error instanceof ContentChangedError)) throw error
      },
    )
    await client.files.upload({ content: one }, { uploadId: id })
  },

  async downloads(player) {
    const client = open(player)
    await client.files.upload({ content: content(2 * PART_BYTES + 3, 13), name: 'large.bin' })
    await client.files.upload({ content: content(0, 14), name: 'empty.bin' })
    await client.assets.upload({ content: content(100, 15), name: 'Harbour', asset_type: 'world' })
  },
}
