import { z } from '@hono/zod-openapi'
import { recallOutcomes } from '../../platform/db/enumerations.ts'
import { ApiError } from '../../platform/errors.ts'
import { IfMatch, ifNoneMatch } from '../../platform/http/entity-tags.ts'
import { problemWith } from '../../platform/http/error-responses.ts'
import { encodedText, flag, mimeTypeIn, Timestamp } from '../../platform/http/fields.ts'
import { IdempotencyKeyHeader } from '../../platform/http/idempotency-key.ts'
import { reject } from '../../platform/http/validation.ts'
import { integer } from '../../platform/lib/integer.ts'
import { isMisleading, isVisible } from '../../platform/lib/text.ts'

/** The most code points of `Save-Device` and of `Save-Label`. */
const MAX_DEVICE_CODE_POINTS = 64
const MAX_LABEL_CODE_POINTS = 255

/** The name of a slot. */
export const SLOT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

const slotInWords = {
  'x-name': 'SaveSlot',
  type: 'string',
  'x-description':
    'The name that the game gives to a slot; not `.` or `..`. Those that begin with `server.` are of the studio’s servers',
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  example: 'auto',
} as const

const Slot = z.string().openapi(slotInWords)

/** The slot in the path of a write, which may make it. */
export const NewSlot = z.object({
  slot: z
    .string()
    .regex(SLOT, 'must have 1 to 64 of the characters A-Z, a-z, 0-9, ., _ and -, and not be . or ..')
    .openapi({ ...slotInWords, param: { name: 'slot', in: 'path' } }),
})

/** The slot in every other path. A malformed one is handled as an unknown one. */
export const KnownSlot = z.object({
  slot: z
    .string()
    .transform((slot, context) =>
      SLOT.test(slot) ? slot : reject(context, 'SAVE_NOT_FOUND', 'There is no such slot.'),
    )
    .openapi({ ...slotInWords, param: { name: 'slot', in: 'path' } }),
})

const Revision = z.int().openapi({
  'x-name': 'SaveRevision',
  'x-description': 'Rises by one with every write of the slot, and is never used again',
  example: 3,
})

const save = {
  slot: 'auto',
  revision: 3,
  size_bytes: 4_096,
  mime_type: 'application/octet-stream',
  checksum_sha256: 'rVqJgC3GYfGqJ3UcrXg8XhNTvD2yB7r0v4m2lH0Yw3k=',
  device: 'Ada’s phone',
  label: 'The old mill',
  played_seconds: 7_200,
  written_by: null,
  recall_id: null,
  created_at: 1_795_257_600,
  updated_at: 1_795_257_600,
}

/** The record of a save. */
export const Save = z
  .object({
    slot: Slot,
    revision: Revision,
    size_bytes: z.int(),
    mime_type: z.string(),
    checksum_sha256: z.string().openapi({ description: 'The SHA-256 of the bytes in base64' }),
    device: z
      .string()
      .nullable()
      .openapi({ description: 'The device that wrote it, as `Save-Device` named it' }),
    label: z.string().nullable().openapi({ description: 'What the player calls it: `Save-Label`' }),
    played_seconds: z.int().nullable().openapi({ description: '`Save-Played-Seconds`' }),
    written_by: z.string().nullable().openapi({
      description: 'Who wrote or restored it, if not the player: the id of the service or operator',
    }),
    recall_id: z.string().nullable().openapi({ description: 'The recall that went back to this content' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .openapi('Save', { example: save })
export type Save = z.output<typeof Save>

/** A save of a list. */
const ListedSave = Save.extend({
  deleted_at: Timestamp.optional().openapi({ description: 'With `deleted=true`' }),
}).openapi('ListedSave', { example: save })
export type ListedSave = z.output<typeof ListedSave>

const RecallForecast = z
  .object({
    is_applied: z
      .boolean()
      .openapi({ description: 'Whether the saves have applied it: then nothing more happens' }),
    slots: z.array(
      z
        .object({
          slot: Slot,
          outcome: z.enum(recallOutcomes).openapi({
            'x-name': 'RecallOutcome',
            description:
              'Whether the slot goes back; stays, because it was written since; or has no earlier revision',
          }),
          revision: Revision,
          to_revision: z.int().nullable().openapi({ description: 'The revision whose content comes back' }),
        })
        .openapi('RecalledSlot', {
          example: { slot: 'auto', outcome: 'reverted', revision: 3, to_revision: 1 },
        }),
    ),
  })
  .openapi('RecallForecast', {
    description: 'What a recall would come to for the slots that it concerns',
    example: {
      is_applied: false,
      slots: [{ slot: 'auto', outcome: 'reverted', revision: 3, to_revision: 1 }],
    },
  })

/** The answer to the list of slots. */
export const SaveList = z
  .object({
    saves: z.array(ListedSave),
    used_bytes: z.int().openapi({
      description:
        'The bytes of all revisions together, those of deleted saves included, without the slots of the studio’s servers',
    }),
    limit_bytes: z.int().openapi({ description: 'SAVE_BYTES. It does not count in the quota' }),
    server_used_bytes: z.int().optional().openapi({
      description: 'The bytes of the slots of the studio’s servers. With `saves:read` or `saves:write` only',
    }),
    server_limit_bytes: z
      .int()
      .optional()
      .openapi({ description: 'SERVER_SAVE_BYTES. With `saves:read` or `saves:write` only' }),
    recall: RecallForecast.optional(),
  })
  .openapi('SaveList', { example: { saves: [save], used_bytes: 12_288, limit_bytes: 8_388_608 } })
export type SaveList = z.output<typeof SaveList>

const SaveRevision = Save.extend({
  is_current: z.boolean().openapi({ description: 'Whether the slot has this revision’s content' }),
  is_kept: z
    .boolean()
    .openapi({ description: 'Whether `keep=true` kept it: it was refused, and has never been current' }),
}).openapi('SaveOfHistory', { example: { ...save, is_current: true, is_kept: false } })
export type SaveRevision = z.output<typeof SaveRevision>

/** The answer to the list of a slot's revisions. */
export const RevisionList = z.object({ revisions: z.array(SaveRevision) }).openapi('SaveRevisionList')

/** The query of the list of slots. */
export const ListSaves = z.object({
  deleted: flag('Lists the saves that were deleted and can be restored, instead of the others'),
  recall: z.string().optional().openapi({
    description:
      'The id of a recall: the answer says as `recall` what it would come to. On behalf of a player, with `players:read`',
  }),
})

/** The query of a read. */
export const ReadSave = z.object({
  revision: integer(1, Number.MAX_SAFE_INTEGER).optional().openapi({
    type: 'integer',
    minimum: 1,
    description: 'The revision to read; by default the current one',
  }),
})

/** The condition of a read. */
export const ReadHeaders = ifNoneMatch(
  'The ETags that the client has. The answer is 304 when one of them is that of the revision.',
)

/** The query of a write. */
export const WriteSave = z.object({
  keep: flag('Keeps the bytes of a write that is refused by its condition as a revision that is not current'),
})

const inWords = ', a visible one among them; no control or bidirectional control characters'

/** The headers of a write. */
export const WriteHeaders = z.object({
  'idempotency-key': IdempotencyKeyHeader.shape['idempotency-key'].openapi({
    description:
      'A text that the client chooses for this write. A repetition of the request with the same key changes nothing, and gets the answer of the first, as long as the revision that it wrote is kept.',
  }),
  ...IfMatch.shape,
  ...ifNoneMatch('`*` writes only a new slot. Else the ETags that the save must not have.').shape,
  'save-device': encodedText(
    (text) => mistakeIn(text, MAX_DEVICE_CODE_POINTS),
    'Ada%E2%80%99s%20phone',
    `The name of the device: percent-encoded UTF-8, at most ${MAX_DEVICE_CODE_POINTS} code points${inWords}`,
  ),
  'save-label': encodedText(
    (text) => mistakeIn(text, MAX_LABEL_CODE_POINTS),
    'The%20old%20mill',
    `What the player calls the save: percent-encoded UTF-8, at most ${MAX_LABEL_CODE_POINTS} code points${inWords}`,
  ),
  'save-played-seconds': integer(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .openapi({
      type: 'integer',
      minimum: 0,
      param: { in: 'header' },
      description: 'How long the player has played, in seconds',
    }),
})

/** The body of a restore. */
export const RestoreSave = z
  .object({
    revision: z.int().positive().optional().openapi({
      description: 'The revision whose content becomes current; by default that of a deleted save',
    }),
  })
  .openapi('RestoreSave', { example: { revision: 2 } })

/** The answer to a request whose condition does not hold: `current` is absent when the slot is empty. */
export const conflict = problemWith('PRECONDITION_FAILED', 'SaveConflict', {
  current: Save.optional(),
  kept_revision: Revision.optional().openapi({
    description:
      'With `keep=true`: the revision that has the bytes of the request. Absent when there is no room for it',
  }),
})

/**
 * The metadata of a write's bytes, from its headers.
 *
 * @throws VALIDATION_FAILED for a malformed Content-Type, which is no parameter of the description: its body has it
 */
export function metadataOf(headers: z.output<typeof WriteHeaders>, contentType = 'application/octet-stream') {
  const mime_type = mimeTypeIn(contentType)
  if (mime_type === undefined)
    throw new ApiError('VALIDATION_FAILED', {
      errors: [{ in: 'header', path: '/content-type', message: 'must be a media type.' }],
    })
  return {
    mime_type,
    device: headers['save-device'] ?? null,
    label: headers['save-label'] ?? null,
    played_seconds: headers['save-played-seconds'] ?? null,
  }
}

/** Why a text breaks the rule of display names (docs/conformance.md#game-assets); undefined when it does not. */
function mistakeIn(text: string | null, max: number): string | undefined {
  if (text === null) return undefined
  if (text.length > 2 * max || [...text].length > max) return `must have at most ${max} code points`
  if (isVisible(text) && !isMisleading(text)) return undefined
  return 'must have a visible character, and no control or bidirectional control characters'
}
