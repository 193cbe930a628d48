import { z } from '@hono/zod-openapi'
import { catalogueSorts, gameAssetTypes, ratings, visibilities } from '../../platform/db/enumerations.ts'
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
  plainText,
  plainTextInWords,
  Timestamp,
  UserId,
} from '../../platform/http/fields.ts'
import { GameData, gameDataProblem } from '../../platform/http/game-data.ts'
import { reject } from '../../platform/http/validation.ts'
import { isMisleading, isVisible } from '../../platform/lib/text.ts'
import { MAX_NAME_CODE_POINTS } from '../files/schema.ts'
import { ChannelKey, Platform, Version, VersionNumber } from './version-schema.ts'

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

const ratingInWords = {
  'x-name': 'Rating',
  'x-description': 'For whom a game asset is: everyone, teen (from about 13 years) or mature (for adults)',
}

/** A rating, wherever a request or an answer has one. */
export const AssetRating = z.enum(ratings).openapi(ratingInWords)

const MAX_DESCRIPTION_CODE_POINTS = 5_000
const MAX_TAGS = 16
const TAG = /^[a-z0-9_-]{1,32}$/

/** A tag of an asset, wherever a request names one. */
const Tag = z
  .string()
  .regex(TAG, 'must have 1 to 32 of the characters a-z, 0-9, _ and -')
  .openapi({ 'x-name': 'Tag', pattern: TAG.source, example: 'horror' })

/**
 * The profile text of an asset in a request (docs/assets.md#description-tags-and-metadata). Each member replaces the stored one as
 * a whole; none is null.
 */
const AssetPage = z.object({
  description: plainText(MAX_DESCRIPTION_CODE_POINTS).optional().openapi({
    'x-name': 'AssetDescription',
    'x-description': plainTextInWords,
    maxLength: MAX_DESCRIPTION_CODE_POINTS,
    example: 'A castle with a moat.',
  }),
  tags: z
    .array(Tag)
    .max(MAX_TAGS)
    .refine((tags) => new Set(tags).size === tags.length, 'must have each tag once')
    .optional()
    .openapi({
      'x-name': 'Tags',
      'x-description': 'Each once; the order is kept',
      uniqueItems: true,
      example: ['castle', 'horror'],
    }),
  metadata: GameData.superRefine((data, context) => {
    const problem = gameDataProblem(data)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  }).optional(),
  listed: z.boolean().optional().openapi({
    description: 'false keeps a public asset out of the catalogue, for those who are told its id',
  }),
  rating: AssetRating.nullable().optional().openapi({
    description:
      'For whom it is, as its owner says; null: nobody has said. A rating is never taken back: null is VALIDATION_FAILED once there is one',
  }),
})

/** The members of an asset's profile text that a request sets. */
export type AssetPage = z.output<typeof AssetPage>

/** The members of an asset's profile text in a body. */
export const pageFields = AssetPage.shape

/** An asset as lists have it (docs/conformance.md#game-assets). */
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
    rating: AssetRating.nullable().openapi({
      description: 'For whom it is; null: nobody has said, and it counts as UNRATED_AS',
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
    current_version: z.int().openapi({
      description:
        'To others than the owner, that of the channel `live`, if there is one. 0: the asset has no content yet',
    }),
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
      rating: 'everyone',
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
/** An asset (docs/conformance.md#game-assets). */
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
/** The errors of a request that gives an asset a name. */
export const nameErrors = ['ASSET_NAME_REQUIRED', 'ASSET_NAME_TOO_LONG', 'DUPLICATE_ASSET_NAME'] as const

/** The id of an asset in a path. */
export const AssetId = z.object({ id: IdInPath })

/** The type and the id of a public asset in a path. */
export const PublicAssetId = z.object({
  type: AssetType.openapi({ param: { name: 'type', in: 'path' } }),
  id: IdInPath,
})

/** The query of a list of the caller's assets. */
export const ListAssets = z.object({
  type: AssetType.optional(),
  deleted: flag('true: lists the deleted assets instead'),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListAssets = z.output<typeof ListAssets>

const MAX_QUERY_CODE_POINTS = 100

/** The most tags of each kind in one query. */
const MAX_TAGS_IN_QUERY = 5

/** A query parameter with a tag, which may be repeated. */
function tagsInQuery(name: string, description: string) {
  return z
    .preprocess(
      (given) => (typeof given === 'string' ? [given] : given),
      z.array(Tag).max(MAX_TAGS_IN_QUERY).default([]),
    )
    .openapi({
      description: `${description}. May be repeated: \`${name}=horror&${name}=maze\``,
    })
}

/** The query of a list of the catalogue (docs/catalogue.md). */
export const BrowseAssets = z
  .object({
    type: AssetType.optional(),
    tag: tagsInQuery('tag', 'Only assets with each of these tags'),
    exclude_tag: tagsInQuery('exclude_tag', 'Only assets with none of these tags'),
    owner_id: UserId.optional().openapi({ description: 'Only assets of this user' }),
    platform: Platform.optional().openapi({
      description: 'Only assets whose current version has content for this platform, or for all',
    }),
    max_rating: AssetRating.optional().openapi({
      description:
        'Only assets with this rating or a milder one. An asset that nobody has rated counts as UNRATED_AS',
    }),
    q: z
      .string()
      .refine(
        (q) => q !== '' && [...q].length <= MAX_QUERY_CODE_POINTS && !q.includes('\0'),
        `must have 1 to ${MAX_QUERY_CODE_POINTS} characters, none of them NUL`,
      )
      .optional()
      .openapi({
        minLength: 1,
        maxLength: MAX_QUERY_CODE_POINTS,
        description:
          'Compared literally, ignoring case, accents, strokes (`l` finds `ł`), ligatures (`oe` finds `œ`), width, and characters that have none. Finds names that contain the text; with fewer than three characters, names that begin with the text. Goes with the order `published` only',
      }),
    sort: z.enum(catalogueSorts).default('published').openapi({
      description:
        '`published`: last published first. `updated`: last updated first. `popular`: by favorites, in steps; within a step, the last that came into the catalogue first',
    }),
    limit: PageLimit,
    cursor: Cursor,
  })
  .refine(({ q, sort }) => q === undefined || sort === 'published', {
    path: ['sort'],
    message: 'A search with q is in the order published: leave sort away, or q.',
  })
export type BrowseAssets = z.output<typeof BrowseAssets>

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
          'Send at least one of name, visibility, description, tags, metadata, listed and rating.',
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
      description: 'Default: the latest version that the caller gets, or that of the channel',
    }),
    channel_key: ChannelKey.optional(),
    rating: AssetRating.optional().openapi({
      description: 'Default, and at least: that of the source',
    }),
  })
  .openapi('BranchAsset', { example: { name: 'My castle', from_version: 1 } })
export type BranchAsset = z.output<typeof BranchAsset>
