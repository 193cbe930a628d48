import { z } from '@hono/zod-openapi'
import { Id, IdInPath, Timestamp } from '../../platform/http/fields.ts'
import { reject } from '../../platform/http/validation.ts'
import { MAX_URLS } from '../files/schema.ts'
import { Build, ChannelKey, Platform, platformOfItem, UrlErrorCode, VersionNumber } from './version-schema.ts'

/** The channel that everybody gets. */
export const LIVE = 'live'

const CHANNEL = /^[a-z0-9-]{1,32}$/

const channelInWords = {
  'x-name': 'ChannelName',
  type: 'string',
  'x-description': 'The name of a channel; `live` is what everybody gets',
  pattern: CHANNEL.source,
  example: 'beta',
} as const

const inPath = { ...channelInWords, param: { name: 'channel', in: 'path' } } as const

/** An asset and a channel in the path of a request that may make the channel. */
export const NewChannel = z.object({
  id: IdInPath,
  channel: z.string().regex(CHANNEL, 'must have 1 to 32 of the characters a-z, 0-9 and -').openapi(inPath),
})

/** An asset and a channel in every other path. A malformed channel is handled as an unknown one. */
export const KnownChannel = z.object({
  id: IdInPath,
  channel: z
    .string()
    .transform((channel, context) =>
      CHANNEL.test(channel) ? channel : reject(context, 'CHANNEL_NOT_FOUND', 'There is no such channel.'),
    )
    .openapi(inPath),
})

/** The body of a request that sets a channel. */
export const SetChannel = z
  .object({
    version: VersionNumber.openapi({ type: 'integer', description: 'The version that the channel serves' }),
  })
  .openapi('SetChannel', { example: { version: 1 } })
export type SetChannel = z.output<typeof SetChannel>

/** A channel (docs/conformance.md#releases). */
export const Channel = z
  .object({
    channel: z.string().openapi(channelInWords),
    version: z.int().min(1),
    key: z.string().nullable().openapi({
      description:
        'What testers send as `channel_key`. It stays while the channel exists, and a channel that is made again has a new one. null for `live`, which everybody gets',
    }),
    updated_at: Timestamp,
  })
  .openapi('AssetChannel', {
    example: {
      channel: 'beta',
      version: 1,
      key: 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6',
      updated_at: 1_795_257_600,
    },
  })

/** The answer to a list of channels. */
export const Channels = z.object({ channels: z.array(Channel) }).openapi('AssetChannels')

/** The body of a request for the updates of assets. */
export const GetUpdates = z
  .object({
    items: z
      .array(
        z.object({
          asset_id: Id,
          version: VersionNumber.openapi({
            type: 'integer',
            description: 'What the caller has; 0: nothing',
          }),
          platform: platformOfItem,
          channel_key: ChannelKey.optional(),
        }),
      )
      .min(1)
      .max(MAX_URLS)
      .openapi({ description: 'An item may be repeated' }),
    build: Build.optional().openapi({ description: 'Only versions that this build can read' }),
  })
  .openapi('GetUpdates', {
    example: { items: [{ asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', version: 1 }], build: 4_100 },
  })
export type GetUpdates = z.output<typeof GetUpdates>

/** What a caller would get of one asset now, that it is what the caller has, or the code of the error. */
const UpdateOfAsset = z.union([
  z
    .object({
      asset_id: Id,
      version: z.int().openapi({ description: 'What the caller would get now', example: 2 }),
      platform: Platform.nullable().openapi({
        description: 'The platform that the content is for; null: all',
      }),
      size_bytes: z.int(),
      checksum_sha256: z.string().nullable(),
    })
    .openapi('AssetUpdate', {
      example: {
        asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05',
        version: 2,
        platform: null,
        size_bytes: 8_388_608,
        checksum_sha256: 'jzuhtpFPm7uDkcDJOAqxoq0R2FhJsZyDRzDRVCgqsNQ=',
      },
    }),
  z
    .object({
      asset_id: Id,
      version: z.null().openapi({ description: 'The caller has what there is' }),
    })
    .openapi('AssetUpToDate', {
      example: { asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', version: null },
    }),
  z.object({ asset_id: Id, code: UrlErrorCode }).openapi('AssetUpdateError', {
    example: { asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05', code: 'VERSION_NOT_FOUND' },
  }),
])
export type UpdateOfAsset = z.output<typeof UpdateOfAsset>

/** The answer to a request for the updates of assets. */
export const Updates = z
  .object({ updates: z.array(UpdateOfAsset).openapi({ description: 'In the order of `items`' }) })
  .openapi('AssetUpdates')
