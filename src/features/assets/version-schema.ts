import { z } from '@hono/zod-openapi'
import {
  Id,
  IdInPath,
  PageQuery,
  page,
  plainText,
  plainTextInWords,
  Timestamp,
} from '../../platform/http/fields.ts'
import { reject } from '../../platform/http/validation.ts'
import { DownloadUrl, MAX_URLS } from '../files/schema.ts'

const MAX_NOTES_CODE_POINTS = 2_000

/** The key of a channel, wherever a request names one. Any text is valid; CHANNEL_NOT_FOUND is for one that no channel has. */
export const ChannelKey = z.string().openapi({
  'x-name': 'ChannelKey',
  'x-description': 'The key of one of the asset’s channels: serves the asset as of that channel’s version',
  example: 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6',
})

/** The notes of a new version, wherever a request has them. An empty text is none. */
const VersionNotes = plainText(MAX_NOTES_CODE_POINTS)
  .transform((notes) => notes || undefined)
  .optional()
  .openapi({
    'x-name': 'VersionNotes',
    'x-description': `What is new in the version. ${plainTextInWords}`,
    type: 'string',
    maxLength: MAX_NOTES_CODE_POINTS,
    example: 'A fifth tower.',
  })

const MAX_BUILD = 2_147_483_647

const buildInWords = {
  'x-name': 'Build',
  'x-description': 'The number of a build of the game',
  example: 4_100,
}

/** The number of a build of the game, wherever a request has one. */
export const Build = z.int().min(0).max(MAX_BUILD).openapi(buildInWords)

const buildRangeInWords = {
  min_build: { description: 'The first build of the game that can read the version; null: no bound' },
  max_build: { description: 'The last build of the game that can read the version; null: no bound' },
}

/** The builds of the game that can read a version, in a request. */
const buildRange = {
  min_build: Build.nullish().openapi(buildRangeInWords.min_build),
  max_build: Build.nullish().openapi(buildRangeInWords.max_build),
}

/** Whether no build is in a range, because its bounds are the wrong way round. */
export function isEmptyRange(range: {
  min_build?: number | null | undefined
  max_build?: number | null | undefined
}): boolean {
  return (range.min_build ?? 0) > (range.max_build ?? MAX_BUILD)
}

/** A platform, as its game names it. */
export const Platform = z
  .string()
  .regex(/^[a-z0-9_]{1,32}$/, 'must have 1 to 32 of a-z, 0-9 and _')
  .openapi({
    'x-name': 'Platform',
    'x-description': 'A platform, as the game names it: 1 to 32 of `a-z`, `0-9` and `_`',
    example: 'android',
  })

/** What a request that makes a version says of it. */
const VersionContent = z.object({
  notes: VersionNotes,
  ...buildRange,
  platform: Platform.optional().openapi({
    description: 'The platform that the content is for; omitted: all. A variant needs one',
  }),
})
export type VersionContent = z.output<typeof VersionContent>

/** The members of a VersionContent in a body. */
export const versionFields = VersionContent.shape

/** What is wrong with an empty range. */
export const EMPTY_RANGE = 'min_build must not be above max_build'

/** The query of a request that may name a channel. */
export const ChannelQuery = z.object({ channel_key: ChannelKey.optional() })

/** The content of a version for a further platform. */
const Variant = z
  .object({
    platform: Platform,
    size_bytes: z.int(),
    checksum_sha256: z.string().nullable(),
    created_at: Timestamp,
  })
  .openapi('Variant', {
    example: {
      platform: 'android',
      size_bytes: 4_194_304,
      checksum_sha256: 'm0tGO9kzJYWuYsqpe2gR4wMqfJpGYQcUwgwCZBmC2TA=',
      created_at: 1_795_257_600,
    },
  })

/** A version (docs/conformance.md#game-assets). */
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
    min_build: Build.nullable().openapi(buildRangeInWords.min_build),
    max_build: Build.nullable().openapi(buildRangeInWords.max_build),
    created_at: Timestamp,
    branched_from_asset_id: Id.nullable().openapi({
      description:
        'Set in the first version of a branch, for its owner, the owner of the source, and everybody while the source is public and listed, and the version served',
    }),
    branched_from_version: z.int().nullable().openapi({ description: 'The version of the source' }),
    platform: Platform.nullable().openapi({
      description: 'The platform that its own content is for; null: all',
    }),
    variants: z.array(Variant).openapi({ description: 'Its contents for further platforms, by platform' }),
  })
  .openapi('AssetVersion', {
    example: {
      id: '019a7e35-0f6b-7000-9c84-5d1e7a2b3f90',
      asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05',
      version: 1,
      size_bytes: 8_388_608,
      checksum_sha256: 'jzuhtpFPm7uDkcDJOAqxoq0R2FhJsZyDRzDRVCgqsNQ=',
      notes: 'A fifth tower.',
      min_build: 4_000,
      max_build: null,
      created_at: 1_795_257_600,
      branched_from_asset_id: null,
      branched_from_version: null,
      platform: null,
      variants: [],
    },
  })

/** The query of a list of versions. */
export const ListVersions = PageQuery.extend(ChannelQuery.shape)
export type ListVersions = z.output<typeof ListVersions>

/** The answer to a list of versions. */
export const VersionPage = page({ versions: z.array(Version) }).openapi('VersionPage')

/** A version's number in a path. Any other text becomes 0, the number of no version. */
const VersionInPath = z
  .string()
  .transform((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0))
  .openapi({ type: 'integer', minimum: 1, param: { name: 'version', in: 'path' } })

/** An asset's id and a version's number in a path. */
export const VersionOfAsset = z.object({ id: IdInPath, version: VersionInPath })

/** An asset's id, a version's number and a platform in a path. Another text is the platform of no variant. */
export const VariantOfVersion = VersionOfAsset.extend({
  platform: z.string().openapi({ param: { name: 'platform', in: 'path' }, example: 'android' }),
})

/** The query of a request for the URL of a version. */
export const UrlQuery = ChannelQuery.extend({
  platform: Platform.optional().openapi({
    description:
      'The variant for this platform; without one, the version’s own content if that is for all or for this platform. Default: the version’s own content',
  }),
})
export type UrlQuery = z.output<typeof UrlQuery>

/** The URL of a version's content, and which content that is. */
export const VersionUrl = DownloadUrl.extend({
  version: z.int().openapi({ example: 1 }),
  platform: Platform.nullable().openapi({ description: 'The platform that the content is for; null: all' }),
  size_bytes: z.int().openapi({ example: 8_388_608 }),
  checksum_sha256: z.string().nullable().openapi({ example: 'jzuhtpFPm7uDkcDJOAqxoq0R2FhJsZyDRzDRVCgqsNQ=' }),
}).openapi('VersionUrl')
export type VersionUrl = z.output<typeof VersionUrl>

/** A version's number in a body. Every whole number is valid; VERSION_NOT_FOUND is for one that no version has. */
export const VersionNumber = z.number().refine(Number.isInteger, 'must be a whole number')

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

/** The body of a request that changes a version: at least one member. */
export const EditVersion = z
  .object({
    notes: plainText(MAX_NOTES_CODE_POINTS).nullish().openapi({
      description: 'Replaces the notes; null or an empty text: none',
      maxLength: MAX_NOTES_CODE_POINTS,
    }),
    ...buildRange,
  })
  .transform((change, context) => {
    if (Object.values(change).every((value) => value === undefined))
      return reject(context, 'VALIDATION_FAILED', 'Send at least one of notes, min_build and max_build.')
    return isEmptyRange(change) ? reject(context, 'VALIDATION_FAILED', EMPTY_RANGE, 'min_build') : change
  })
  .openapi('EditVersion', { example: { notes: 'Six towers.', min_build: 4_100 } })
export type EditVersion = z.output<typeof EditVersion>

/** The errors of a request for the URL of a version. */
export const urlErrors = [
  'ASSET_NOT_FOUND',
  'CHANNEL_NOT_FOUND',
  'VERSION_NOT_FOUND',
  'VARIANT_NOT_FOUND',
] as const

/** The platform that an item of a request about several assets is for. */
export const platformOfItem = Platform.optional().openapi({
  description: 'The content for this platform, or for all; default: the version’s own content',
})

/** Why one of several assets is left out of an answer. */
export const UrlErrorCode = z.enum(urlErrors).openapi({
  'x-name': 'AssetUrlErrorCode',
  'x-description': 'The code of the error that a request for this asset alone gets',
})

/** The body of a request for the URLs of assets. */
export const GetAssetUrls = z
  .object({
    items: z
      .array(
        z
          .object({
            asset_id: Id,
            version: VersionNumber.optional().openapi({
              type: 'integer',
              description: 'Default: the version that players get, or that of the channel',
            }),
            platform: platformOfItem,
            channel_key: ChannelKey.optional(),
            build: Build.optional().openapi({
              description:
                'Without `version`: the highest version, up to the default, that this build can read',
            }),
          })
          .refine(({ version, build }) => version === undefined || build === undefined, {
            path: ['build'],
            message: 'can’t be combined with version',
          }),
      )
      .min(1)
      .max(MAX_URLS)
      .openapi({ description: 'An item may be repeated' }),
  })
  .openapi('GetAssetUrls', {
    example: { items: [{ asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', version: 1 }] },
  })
/** An item of a request for the URLs of assets. */
export type WantedUrl = z.output<typeof GetAssetUrls>['items'][number]

/** The URL of a version of one of several assets, or the code of the error that a request for it alone gets. */
const UrlOfAsset = z.union([
  VersionUrl.extend({ asset_id: Id }).openapi('AssetUrl'),
  z
    .object({
      asset_id: Id,
      version: z.number().optional().openapi({
        type: 'integer',
        description:
          'The `version` of the item; 0 for an asset without content. Absent when the item names none, and the asset or the channel does not exist, or no version is for the build',
      }),
      code: UrlErrorCode,
    })
    .openapi('AssetUrlError', {
      example: { asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', version: 7, code: 'VERSION_NOT_FOUND' },
    }),
])
export type UrlOfAsset = z.output<typeof UrlOfAsset>

/** The answer to a request for the URLs of assets. */
export const AssetUrls = z
  .object({ urls: z.array(UrlOfAsset).openapi({ description: 'In the order of `items`' }) })
  .openapi('AssetUrls')
