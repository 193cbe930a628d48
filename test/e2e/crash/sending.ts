import { createCipheriv, createHash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { agrees } from '../../proofs/model/act.ts'
import { arrives } from '../../proofs/model/arriving.ts'
import { abortsUpload, completesUpload } from '../../proofs/model/completing.ts'
import type { Declared } from '../../proofs/model/declaring.ts'
import type { Upload } from '../../proofs/model/state.ts'
import { startsUpload } from '../../proofs/model/uploads.ts'
import type { Actor } from './actor.ts'
import { limits } from './limits.ts'
import type { Step } from './step.ts'

/** What an upload is for; `mismatch`: its content will not be what was declared. */
export const purposes = ['file', 'replacement', 'asset', 'version', 'parts', 'mismatch'] as const
export type Purpose = (typeof purposes)[number]

/** What is to be sent for an upload. The model knows no URLs, and one part only. */
export interface Sending {
  purpose: Purpose
  content: string
  /** Undefined for content in parts, whose URLs are asked for. */
  target: Target | undefined
  /** The ETags of the parts that have been sent. */
  etags: string[]
  /** Its URL takes content all the same. */
  isAborted: boolean
}

const Target = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })
type Target = z.output<typeof Target>
const Started = z.object({ id: z.string() })
const PartUrls = z.object({ parts: z.tuple([Target]) })

/** The bytes that come of a seed, one a character: others for each seed, the same each time. */
function contentOf(seed: string, size_bytes: number): string {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16)
  const bytes = createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size_bytes))
  return bytes.toString('latin1')
}

/** Starts an upload of so many bytes. `aim`: what it is for; something new is named. */
export function start(
  actor: Actor,
  purpose: Purpose,
  aim: Omit<Declared, 'size_bytes' | 'mime_type'>,
  size_bytes: number,
): Step {
  const name = `${purpose} ${actor.word()}`
  const isNew = aim.file_id === undefined && aim.asset_id === undefined
  // The bytes that come for a mismatch are no picture.
  const mime_type = purpose === 'mismatch' ? 'image/gif' : 'application/octet-stream'
  const json = { ...aim, ...(isNew && { name }), mime_type, size_bytes }
  return {
    kind: `start ${purpose}`,
    act: startsUpload(actor.user, json, `key-${name}`),
    afterwards: ({ body }) => {
      const target = Target.safeParse(body).data
      expect(target === undefined, 'whether it is sent in parts').toBe(purpose === 'parts')
      const sending = { purpose, content: contentOf(name, size_bytes), target, etags: [], isAborted: false }
      actor.sendings.set(Started.parse(body).id, sending)
    },
  }
}

/** Sends the content of an upload, or its next part. */
export function send(actor: Actor, { id }: Upload, sending: Sending): Step {
  const { purpose, content, target } = sending
  if (!target) return sendPart(actor, id, sending)
  return {
    kind: `send ${purpose}`,
    act: {
      says: `${actor.user} sends the content of ${id}`,
      send: (wire) => wire.put(target.url, target.headers, content),
      judge: (world, answer) => arrives(world, id, content, answer, 'as signed'),
    },
  }
}

function sendPart({ user }: Actor, id: string, { content, etags }: Sending): Step {
  const { PART_SIZE } = limits
  const part_number = etags.length + 1
  const part = content.slice((part_number - 1) * PART_SIZE, part_number * PART_SIZE)
  return {
    kind: 'send a part',
    act: {
      says: `${user} sends part ${part_number} of ${id}`,
      send: async (wire) => {
        const json = { part_numbers: [part_number] }
        const handedOut = await wire.request(user, 'POST', `/uploads/${id}/parts`, { json })
        if (handedOut.status !== 200) return handedOut
        const [{ url, headers }] = PartUrls.parse(handedOut.body).parts
        return wire.put(url, headers, part)
      },
      judge: (world, answer) => {
        agrees(answer, 204)
        const etag = answer.headers.get('ETag')
        expect(etag).not.toBeNull()
        const upload = world.uploads.get(id)
        // The model takes the first part for all of them.
        if (upload && part_number === 1) Object.assign(upload.part, { etag, content })
      },
    },
    afterwards: ({ headers }) => {
      etags[part_number - 1] = headers.get('ETag') ?? ''
    },
  }
}

/** Whether all of an upload has been sent. */
export function isSent({ model }: Actor, { id, size_bytes }: Upload, { target, etags }: Sending): boolean {
  return target ? model.objects.has(id) : etags.length === Math.ceil(size_bytes / limits.PART_SIZE)
}

export function complete({ user }: Actor, { id }: Upload, { purpose, etags }: Sending): Step {
  const parts = etags.map((etag, index) => ({ part_number: index + 1, etag }))
  return { kind: `complete ${purpose}`, act: completesUpload(user, id, purpose === 'parts' ? { parts } : {}) }
}

export function abort({ user, sendings }: Actor, { id }: Upload): Step {
  const sending = sendings.get(id)
  return {
    kind: `abort ${sending?.purpose}`,
    act: abortsUpload(user, id),
    afterwards: () => {
      if (sending) sending.isAborted = true
    },
  }
}

/** Sends content to the URL of an upload that has been aborted. It may come through, and must lead to nothing. */
export function sendLate({ user }: Actor, id: string, { content }: Sending, target: Target): Step {
  return {
    kind: 'send late',
    act: {
      says: `${user} sends content to ${id}, which has been aborted`,
      send: (wire) => wire.put(target.url, target.headers, content),
      judge: (_, { status }) => expect([204, 403, 412]).toContain(status),
    },
  }
}
