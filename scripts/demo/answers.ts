/** The members of the service's answers that the demo reads. */
import { z } from 'zod'

export const Item = z.object({ id: z.string(), name: z.string(), size_bytes: z.int() })
const FileRecord = Item.extend({ processing_state: z.string().nullable(), mime_type: z.string().nullable() })
export const Page = z.object({ files: z.array(FileRecord), next_cursor: z.string().nullable() })
export const WithAncestors = z.object({
  file: FileRecord,
  ancestors: z.array(z.object({ name: z.string() })),
})

const OneUrl = z.object({
  url: z.string(),
  url_expires_at: z.int(),
  headers: z.record(z.string(), z.string()),
})
/** An upload of one PUT, for an asset. */
export const StartedVersion = OneUrl.extend({ id: z.string() })
/** An upload of one PUT, for a file. */
export const StartedUpload = StartedVersion.extend({ file: FileRecord })
export const CompletedUpload = z.object({ file: FileRecord })
export const SignedUrl = z.object({ url: z.string(), expires_at: z.int() })

export const Share = z.object({
  id: z.string(),
  grantee_id: z.string(),
  permission: z.string(),
  expires_at: z.int().nullable(),
})
export const SharedWithMe = z.object({
  shares: z.array(Share.extend({ file: Item.extend({ owner_id: z.string() }) })),
})

/** An upload in parts. */
const Multipart = z.object({ part_size: z.int(), part_count: z.int() })
export const StartedInParts = z.object({ id: z.string(), multipart: Multipart })
const UploadedPart = z.object({ part_number: z.int(), etag: z.string() })
export type UploadedPart = z.output<typeof UploadedPart>
export const UploadInParts = z.object({
  state: z.string(),
  multipart: Multipart.extend({ uploaded: z.array(UploadedPart) }),
})
export const PartUrls = z.object({ parts: z.array(OneUrl.extend({ part_number: z.int() })) })

export const Asset = z.object({
  id: z.string(),
  owner_id: z.string(),
  type: z.string(),
  name: z.string(),
  visibility: z.string(),
  current_version: z.int(),
})
export const Version = z.object({
  version: z.int(),
  size_bytes: z.int(),
  branched_from_version: z.int().nullable(),
})
export const AssetWithVersions = Asset.extend({ versions: z.array(Version) })
export const AssetPage = z.object({ assets: z.array(Asset) })
/** The answer to completing an asset's upload, and to branching an asset. */
export const AssetAndVersion = z.object({ asset: Asset, version: Version })

export const Quota = z.object({
  used_bytes: z.int(),
  limit_bytes: z.int(),
  available_bytes: z.int(),
  usage_percent: z.number(),
})

/** A notification, and a page of the inbox. */
export const Notification = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ from_user_id: z.int(), from_display_name: z.string() }),
  state: z.string(),
  created_at: z.int(),
})
export type Notification = z.output<typeof Notification>
export const Inbox = z.object({
  notifications: z.array(Notification),
  total: z.int(),
  unread: z.int(),
})
export const Marked = z.object({ marked_count: z.int() })

/** A message of the socket. */
const always = { seq: z.int(), unread: z.int() }
export const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), ...always, data: z.object({ recovered: z.boolean() }) }),
  z.object({ type: z.literal('notification'), ...always, data: Notification }),
  z.object({
    type: z.literal('notifications_read'),
    ...always,
    data: z.object({ notification_ids: z.array(z.string()).nullable() }),
  }),
  z.object({
    type: z.literal('notification_deleted'),
    ...always,
    data: z.object({ notification_id: z.string() }),
  }),
])
export type Message = z.output<typeof Message>
