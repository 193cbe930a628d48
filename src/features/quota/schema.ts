import { z } from '@hono/zod-openapi'
import { Id } from '../../platform/http/fields.ts'
import { contentKinds } from './kinds.ts'

/** A user's storage quota (docs/conformance.md#quota-and-limits). */
export const Quota = z
  .object({
    used_bytes: z.int().openapi({
      description:
        'Files (those in the trash too), the distinct contents of each asset (variants too), and open uploads',
    }),
    limit_bytes: z.int(),
    available_bytes: z.int().openapi({ description: 'Never below 0' }),
    usage_percent: z.number().openapi({ description: '100 × used / limit; 100 when the limit is 0' }),
  })
  .openapi('Quota', {
    example: {
      used_bytes: 1_610_612_736,
      limit_bytes: 5_368_709_120,
      available_bytes: 3_758_096_384,
      usage_percent: 30,
    },
  })
export type Quota = z.output<typeof Quota>

/** A content of at least 1 MiB. */
const LargeContent = z
  .object({
    type: z.enum(['file', 'version']),
    id: Id.openapi({ description: 'Of the file or of the version' }),
    asset_id: Id.nullable().openapi({ description: 'null for files' }),
    version: z.int().min(1).nullable().openapi({
      description: 'The newest version of the asset that has the content; null for files',
    }),
    platform: z.string().nullable().openapi({
      description: 'Of a variant of the version; null for its own content, and for files',
    }),
    name: z.string().openapi({ description: 'Of the file or of the asset' }),
    bytes: z.int(),
    in_trash: z.boolean().openapi({
      description:
        'The file, the folder that it lies in, or the asset was deleted. Folders further up are not looked at',
    }),
  })
  .openapi('LargeContent')
export type LargeContent = z.output<typeof LargeContent>

/** What takes a user's storage (docs/quota.md#what-takes-my-storage). */
export const QuotaBreakdown = z
  .object({
    used_bytes: z.int(),
    limit_bytes: z.int(),
    parts: z
      .array(
        z
          .object({
            kind: z.enum([...contentKinds, 'open_upload']).openapi({
              description:
                'The type of files or of game assets, `preview` of assets, or `open_upload`, which has the bytes of pending files',
            }),
            bytes: z.int(),
          })
          .openapi('QuotaPart'),
      )
      .openapi({ description: 'Each kind once. Together they are `used_bytes`' }),
    largest: z.array(LargeContent).openapi({
      description:
        'The 20 largest of what has at least 1 MiB, the largest first. A content that several versions of an asset share is in it once. Without what is being deleted permanently, which may still count',
    }),
  })
  .openapi('QuotaBreakdown', {
    example: {
      used_bytes: 1_610_612_736,
      limit_bytes: 5_368_709_120,
      parts: [
        { kind: 'file', bytes: 536_870_912 },
        { kind: 'profile_pic', bytes: 0 },
        { kind: 'emote', bytes: 0 },
        { kind: 'chat_attachment', bytes: 0 },
        { kind: 'world', bytes: 1_073_217_536 },
        { kind: 'avatar', bytes: 0 },
        { kind: 'prop', bytes: 0 },
        { kind: 'preview', bytes: 524_288 },
        { kind: 'open_upload', bytes: 0 },
      ],
      largest: [
        {
          type: 'version',
          id: '019a7e35-0f6b-7000-9c84-5d1e7a2b3f90',
          asset_id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05',
          version: 3,
          platform: null,
          name: 'Sky Islands',
          bytes: 1_073_217_536,
          in_trash: false,
        },
      ],
    },
  })
export type QuotaBreakdown = z.output<typeof QuotaBreakdown>

/** The body of a request that sets a user's limit. */
export const SetQuota = z
  .object({
    limit_bytes: z.int().min(0).nullable().openapi({ description: 'null: the default of the service' }),
  })
  .openapi('SetQuota', { example: { limit_bytes: 10_737_418_240 } })
