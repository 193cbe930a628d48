import { bodyOf } from '../answers.ts'
import type { ByteArray } from '../bytes.ts'
import { NetworkError, ServiceError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { Save } from '../records.ts'
import { matching, type Transport } from '../transport.ts'
import { headersOf, type Replaced, type SaveContent } from './save.ts'

/** The bytes of a revision, and what is known of them. */
export interface ReadSave
  extends Pick<Save, 'slot' | 'revision' | 'mime_type' | 'device' | 'label' | 'played_seconds'> {
  bytes: ByteArray
}

/** A change that was not done, because its precondition does not hold. */
export interface Refusal {
  error: ServiceError
  current: Save | undefined
  kept_revision: number | undefined
}

/** What an error says of a slot that has another revision; undefined for any other error. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (!(error instanceof ServiceError && error.code === 'PRECONDITION_FAILED')) return undefined
  const { current, kept_revision } = error.problem
  return { error, current, kept_revision }
}

/** The requests of bytes, which `operationsOf` leaves out. */
export interface SavesService {
  /** Writes a revision. Repeated when its answer is lost: the service knows the repetition by its key. */
  write(slot: string, content: SaveContent, options: WriteRequest): Promise<Save | Refusal>
  read(slot: string, revision: number | undefined, options: RequestOptions): Promise<ReadSave>
}

interface WriteRequest extends RequestOptions {
  over: Replaced
  keep?: boolean | undefined
  /** The Idempotency-Key. Undefined for what an earlier version of the client has sent without one, over a revision. */
  key: string | undefined
}

/** The requests of bytes, sent by a client's transport. */
export function savesService(transport: Transport): SavesService {
  return {
    async write(slot, content, { over, keep, key, signal }) {
      const { bytes, mime_type = 'application/octet-stream' } = content
      const headers = { ...headersOf(content), ...(over === null && { 'If-None-Match': '*' }) }
      try {
        const save = await bodyOf<Save>(
          transport.repeatable(
            'PUT',
            '/v1/saves/{slot}',
            { slot, ...(keep && { keep }) },
            { signal, idempotencyKey: key, ...matching(typeof over === 'number' ? `"${over}"` : undefined) },
            { content: bytes, mime_type, headers },
          ),
        )
        // A proxy may answer with JSON, too. Taken for the save, it would end the sending of what was never saved.
        if (save.slot !== slot || save.size_bytes !== bytes.length || !Number.isSafeInteger(save.revision))
          throw new NetworkError('Something else answered.')
        return save
      } catch (error) {
        const refusal = refusalIn(error)
        if (!refusal) throw error
        return refusal
      }
    },
    async read(slot, revision, options) {
      const given = { slot, ...(revision !== undefined && { revision }) }
      const response = await transport.reading('/v1/saves/{slot}', given, options, 'bytes')
      const played = response.headers.get('Save-Played-Seconds')
      return {
        slot,
        revision: Number(response.headers.get('ETag')?.replaceAll(/\D/g, '')),
        bytes: new Uint8Array(await response.arrayBuffer()),
        mime_type: response.headers.get('Content-Type') ?? 'application/octet-stream',
        device: textOf(response, 'Save-Device'),
        label: textOf(response, 'Save-Label'),
        played_seconds: played === null ? null : Number(played),
      }
    },
  }
}

function textOf({ headers }: Response, name: string): string | null {
  const text = headers.get(name)
  return text === null ? null : decodeURIComponent(text)
}

/** Whether a write was refused because only the studio's servers write the slot. */
export function isReadOnly(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SAVE_READ_ONLY'
}

/** Whether the service may take the same save later. After an answer 401 there may be a new token. */
export function isTemporary(error: unknown): boolean {
  return (
    !(error instanceof ServiceError) || error.status >= 500 || [401, 408, 425, 429].includes(error.status)
  )
}
