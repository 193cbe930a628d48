import { z } from '@hono/zod-openapi'
import { gameAssetTypes, visibilities } from '../../platform/db/enumerations.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import {
  Blocked,
  Cursor,
  flag,
  Id,
  IdInPath,
  KnownUserId,
  PageLimit,
  page,
  Timestamp,
} from '../../platform/http/fields.ts'
import { reject } from '../../platform/http/validation.ts'
import { isMisleading, isVisible } from '../../platform/lib/visible-text.ts'
import { MAX_NAME_CODE_POINTS } from '../files/schema.ts'
import { pageFields } from './page-schema.ts'
import { plainText, plainTextInWords } from './plain-text.ts'

/**
 * An asset's name in a request (docs/conformance.md#game-assets). Normalised to NFC and trimmed; rejected with
 * ASSET_NAME_REQUIRED, ASSET_NAME_TOO_LONG or VALIDATION_FAILED. Lengths are in code points.
 */
export const AssetName = z
  .unknown()
  .transform((input, context) => {
    if (typeof input !== 'string') return reject(context, 'ASSET_NAME_REQUIRED', 'Send a name, as a string.')
    if (!input.isWellFormed())
      return reject(context, 'ASSET_NAME_REQUIRED', 'A name may not contain half of a surrogate pair.')
    const name = input.normalize('NFC').trim()
    if (!isVisible(name)) return reject(context, 'ASSET_NAME_REQUIRED', 'A name needs a visible character.')
    if (isMisleading(name))
      return reject(
        context,
        'VALIDATION_FAILED',
        'A name may not contain control characters, or characters that turn the writing direction.',
      )
    if ([...name].length > MAX_NAME_CODE_POINTS)
      return reject(
        context,
        'ASSET_NAME_TOO_LONG',
        `A name may have at most ${MAX_NAME_CODE_POINTS} characters (code points).`,
      )
    return name
  })
  .openapi({
    'x-name': 'AssetName',
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME_CODE_POINTS,
    'x-description':
      'Stored in Unicode NFC and trimmed; at least one visible character; no control or bidirectional control characters; unique among the owner’s assets that are not deleted',
    example: 'Castle',
  })

const typeInWords = { 'x-name': 'GameAssetType' }
const visibilityInWords = {
  'x-name': 'Visibility',
  'x-description': 'public: every signed-in user may read and branch it; private: only the owner',
}

/** The schema of one of the given words. Any other value is rejected with `code`, as is a missing one. */
function oneOf<Value extends string>(
  values: readonly Value[],
  code: ErrorCode,
  member: string,
  inWords: Record<`x-${string}`, string>,
) {
  const message = `The ${member} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}.`
  return z
    .unknown()
    .transform((input, context) => values.find((value) => value === input) ?? reject(context, code, message))
    .openapi({ type: 'string', enum: [...values], ...inWords })
}

/** An asset's type wherever a request names one. */
export const AssetType = oneOf(gameAssetTypes, 'INVALID_ASSET_TYPE', 'type', typeInWords)

/** Who may see an asset. */
export const AssetVisibility = oneOf(visibilities, 'INVALID_VISIBILITY', 'visibility', visibilityInWords)

const MAX_NOTES_CODE_POINTS = 2_000

/** The notes of a new version, wherever a request has them. An empty text is none. */
export const VersionNotes = plainText(MAX_NOTES_CODE_POINTS)
  .transform((notes) => notes || undefined)
  .optional()
  .openapi({
    'x-name': 'VersionNotes',
    'x-description': `What is new in the version. ${plainTextInWords}`,
    type: 'string',
    maxLength: MAX_NOTES_CODE_POINTS,
    example: 'A fifth tower.',
  })

/** A version (docs/conformance.md#2-records). */
export const Version = z
  .object({
    id: Id,
    asset_id: Id,
    version: z.int().min(1).openapi({ description: '1 is the first' }),
    size_bytes: z.int(),
    checksum_sha256: z.string().nullable().openapi({
      description:
        'SHA-256 of the content in base64, as its upload declared it, also of a rollback and of a branch; null when the upload declared none',
    }),
    notes: z.string().nullable().openapi({
      description: 'What is new in it; null without notes, and in the first version of a branch',
    }),
    created_at: Timestamp,
    branched_from_asset_id: Id.nullable().openapi({
      description:
        'Set in the first version of a branch, for its owner, the owner of the source, and everybody while the source is public and listed',
    }),
    branched_from_version: z.int().nullable().openapi({ description: 'The version of the source' }),
  })
  .openapi('AssetVersion', {
    example: {
      id: '019a7e35-0f6b-7000-9c84-5d1e7a2b3f90',
      asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05',
      version: 1,
      size_bytes: 8_388_608,
      checksum_sha256: 'jzuhtpFPm7uDkcDJOAqxoq0R2FhJsZyDRzDRVCgqsNQ=',
      notes: 'A fifth tower.',
      created_at: 1_795_257_600,
      branched_from_asset_id: null,
      branched_from_version: null,
    },
  })

/** An asset as lists have it (docs/conformance.md#2-records). */
export const GameAssetSummary = z
  .object({
    id: Id,
    owner_id: KnownUserId,
    type: z.enum(gameAssetTypes).openapi(typeInWords),
    name: z.string(),
    tags: z.array(z.string()).openapi({ example: ['castle', 'horror'] }),
    visibility: z.enum(visibilities).openapi(visibilityInWords),
    listed: z.boolean().openapi({
      description: 'false: the owner keeps it out of the catalogue, for those who are told its id',
    }),
    preview_url: z.url().nullable().openapi({
      description:
        'Needs no token, and is another one for another preview. That of an asset which is not public has a signature and is valid for DOWNLOAD_URL_TTL seconds, and five minutes more at most. null: it has no preview, or is blocked or deleted',
    }),
    preview_width: z.int().min(1).nullable().openapi({
      description:
        'Of the preview, in pixels, before the orientation that a JPEG may ask for; null without `preview_url`',
    }),
    preview_height: z.int().min(1).nullable().openapi({ description: 'As `preview_width`' }),
    current_version: z.int().openapi({ description: '0: the asset has no content yet' }),
    favorites: z.int().openapi({
      description:
        'How many users have it among their favorites, behind by a minute at most. Neither `ETag` nor `updated_at` changes with it',
    }),
    published_at: Timestamp.nullable().openapi({
      description:
        'When it became public; null while it is private. Less than a day of being private does not count',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    blocked: Blocked,
  })
  .openapi('GameAssetSummary', {
    example: {
      id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05',
      owner_id: 'ada',
      type: 'world',
      name: 'Castle',
      tags: ['castle', 'horror'],
      visibility: 'public',
      listed: true,
      preview_url:
        'https://game.example/pictures/assets/019a7e34-77aa-7000-b1c6-9f3e8d2a4b05/019a7e36-02d1-7000-9c84-5d1e7a2b3f90',
      preview_width: 1_280,
      preview_height: 720,
      current_version: 1,
      favorites: 12,
      published_at: 1_795_257_600,
      created_at: 1_795_257_600,
      updated_at: 1_795_257_600,
    },
  })
/** An asset (docs/conformance.md#2-records). */
export const GameAsset = GameAssetSummary.extend({
  description: z.string().openapi({ description: 'Plain text', example: 'A castle with a moat.' }),
  metadata: z.record(z.string(), z.unknown()).openapi({
    description: 'A JSON object of the game’s own',
    example: { seed: 7 },
  }),
}).openapi('GameAsset', { example: undefined })
/** An asset with its newest versions. */
export const GameAssetWithVersions = GameAsset.extend({ versions: z.array(Version) }).openapi(
  'GameAssetWithVersions',
  { example: undefined },
)
/** The answer to a branch. */
export const Branch = z.object({ asset: GameAsset, version: Version }).openapi('Branch')

/** The answer to a list of assets. */
export const GameAssetPage = page({ assets: z.array(GameAssetSummary) }).openapi('GameAssetPage')
/** The answer to a list of branches. */
export const BranchPage = page({ branches: z.array(GameAssetSummary) }).openapi('BranchPage')
/** The answer to a list of versions. */
export const VersionPage = page({ versions: z.array(Version) }).openapi('VersionPage')

/** The errors of a request that gives an asset a name. */
export const nameErrors = ['ASSET_NAME_REQUIRED', 'ASSET_NAME_TOO_LONG', 'DUPLICATE_ASSET_NAME'] as const

/** The errors of a request for the URL of a version. */
export const urlErrors = ['ASSET_NOT_FOUND', 'VERSION_NOT_FOUND'] as const

/** The id of an asset in a path. */
export const AssetId = z.object({ id: IdInPath })

/** The type and the id of a public asset in a path. */
export const PublicAssetId = z.object({
  type: AssetType.openapi({ param: { name: 'type', in: 'path' } }),
  id: IdInPath,
})

/** A version's number in a path. Any other text becomes 0, the number of no version. */
const VersionInPath = z
  .string()
  .transform((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0))
  .openapi({ type: 'integer', minimum: 1, param: { name: 'version', in: 'path' } })

/** An asset's id and a version's number in a path. */
export const VersionOfAsset = z.object({ id: IdInPath, version: VersionInPath })

/** A version's number in a body. Every whole number is valid; VERSION_NOT_FOUND is for one that no version has. */
export const VersionNumber = z.number().refine(Number.isInteger, 'must be a whole number')

/** The query of a list of the caller's assets. */
export const ListAssets = z.object({
  type: AssetType.optional(),
  deleted: flag('true: lists the deleted assets instead'),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListAssets = z.output<typeof ListAssets>

/** The body of a request that creates an asset. The order of the members is the order in which their errors are reported. */
export const CreateAsset = z
  .object({
    name: AssetName,
    type: AssetType,
    visibility: AssetVisibility.default('private'),
    ...pageFields,
  })
  .openapi('CreateAsset', { example: { name: 'Castle', type: 'world', visibility: 'public' } })
export type CreateAsset = z.output<typeof CreateAsset>

/** The body of a request that changes an asset: at least one member. */
export const EditAsset = z
  .object({ name: AssetName.optional(), visibility: AssetVisibility.optional(), ...pageFields })
  .transform((change, context) =>
    Object.values(change).every((value) => value === undefined)
      ? reject(
          context,
          'VALIDATION_FAILED',
          'Send at least one of name, visibility, description, tags, metadata and listed.',
        )
      : change,
  )
  .openapi('EditAsset', { example: { visibility: 'public' } })
export type EditAsset = z.output<typeof EditAsset>

/** The query of a request that deletes an asset. */
export const DeleteAsset = z.object({
  permanent: flag('true: deletes the asset permanently, even if it is deleted already'),
})

/** The body of a request that restores an asset. */
export const RestoreAsset = z
  .object({
    name: AssetName.optional().openapi({
      description: 'A new name, when another asset has taken the old one',
    }),
  })
  .openapi('RestoreAsset', { example: { name: 'Old castle' } })
export type RestoreAsset = z.output<typeof RestoreAsset>

/** The body of a request that branches an asset. */
export const BranchAsset = z
  .object({
    name: AssetName,
    from_version: VersionNumber.optional().openapi({
      type: 'integer',
      description: 'Default: the latest version',
    }),
  })
  .openapi('BranchAsset', { example: { name: 'My castle', from_version: 1 } })
export type BranchAsset = z.output<typeof BranchAsset>

/** The body of a request that rolls an asset back. */
export const RollBack = z
  .object({
    from_version: VersionNumber.openapi({
      type: 'integer',
      description: 'The version whose content becomes the newest version',
    }),
    notes: VersionNotes,
  })
  .openapi('RollBack', { example: { from_version: 1, notes: 'Back to four towers.' } })
export type RollBack = z.output<typeof RollBack>
