/** The service's answers, as far as the demo reads them. */
import { z } from 'zod'

export const Item = z.object({ id: z.string(), name: z.string(), size_bytes: z.int() })
const FileRecord = Item.extend({ processing_state: z.string().nullable(), mime_type: z.string().nullable() })
export const Page = z.object({ files: z.array(FileRecord), next_cursor: z.string().nullable() })
export const WithAncestors = z.object({
  file: FileRecord,
  ancestors: z.array(z.object({ name: z.string() })),
})

export const StartedUpload = z.object({
  id: z.string(),
  url: z.string(),
  url_expires_at: z.int(),
  headers: z.record(z.string(), z.string()),
  file: FileRecord,
})
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

export const Quota = z.object({
  used_bytes: z.int(),
  limit_bytes: z.int(),
  available_bytes: z.int(),
  usage_percent: z.number(),
})
