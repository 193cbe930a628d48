import { z } from '@hono/zod-openapi'

/** What clients read in the service's answers. Whatever else an answer says is kept too, and compared. */

export const ItemRecord = z.looseObject({
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  asset_type: z.string(),
  size_bytes: z.int(),
  is_public: z.boolean(),
  processing_state: z.string().nullish(),
  updated_at: z.int(),
})
export type ItemRecord = z.output<typeof ItemRecord>

export const Share = z.looseObject({ id: z.string(), file_id: z.string(), grantee_id: z.string() })
export type Share = z.output<typeof Share>

export const Asset = z.looseObject({
  id: z.string(),
  name: z.string(),
  visibility: z.string(),
  current_version: z.int(),
  updated_at: z.int(),
})
export type Asset = z.output<typeof Asset>

export const Version = z.looseObject({
  id: z.string(),
  version: z.int(),
  size_bytes: z.int(),
  created_at: z.int(),
})
export type Version = z.output<typeof Version>

export const Notification = z.looseObject({ id: z.string(), state: z.string() })
export type Notification = z.output<typeof Notification>

export const Upload = z.looseObject({
  id: z.string(),
  state: z.string(),
  expires_at: z.int(),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  multipart: z.object({ part_size: z.int(), part_count: z.int() }).optional(),
  file: ItemRecord.optional(),
})

const next_cursor = z.null('more than one page: too many for this test')
export const Items = z.object({ files: z.array(ItemRecord), next_cursor })
export const Assets = z.object({ assets: z.array(Asset), next_cursor })
export const Versions = z.object({ versions: z.array(Version), next_cursor })
export const SharedWithMe = z.object({
  shares: z.array(Share.extend({ file: z.looseObject({ in_trash: z.boolean() }) })),
  next_cursor,
})
export const Inbox = z.object({ notifications: z.array(Notification), total: z.int(), unread: z.int() })
export const SignedUrl = z.object({ url: z.string() })
export const Quota = z.object({ used_bytes: z.int() })
