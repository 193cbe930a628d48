import { z } from '@hono/zod-openapi'
import { isUserId } from '../auth/user-id.ts'
import { assetTypes, permissions } from '../db/schema.ts'
import { Id, IdInPath, page, Timestamp, UserId } from '../http/fields.ts'
import { reject } from '../http/validation.ts'

/** The year 5138 in Unix seconds. A later time was sent in milliseconds by mistake. */
const MAX_EXPIRES_AT = 100_000_000_000

/** Specification §2.3. */
const shareFields = {
  id: Id,
  file_id: Id,
  grantee_id: z.string(),
  permission: z.enum(permissions).openapi({ description: '`edit` grants what `view` does today' }),
  expires_at: z.int().nullable().openapi({ description: 'Unix seconds; null: never' }),
  created_at: Timestamp,
}
export const Share = z.object(shareFields).openapi('Share')
export const ShareList = z.array(Share)

export const CreateShare = z.object({
  grantee_id: z
    .unknown()
    .transform((id, context) =>
      typeof id === 'string' && isUserId(id)
        ? id
        : reject(
            context,
            'SHARE_INVALID_GRANTEE',
            'Name a user: 1 to 128 characters, no control characters.',
          ),
    )
    .openapi({ type: 'string', minLength: 1, maxLength: 128 }),
  permission: z.enum(permissions),
  expires_at: z
    .int()
    .max(MAX_EXPIRES_AT, 'must be in Unix seconds; this looks like milliseconds')
    .nullish()
    .openapi({ description: 'Unix seconds, in the future; omitted or null: never' }),
})
export type CreateShare = z.output<typeof CreateShare>

/** The owner whose shares the caller leaves. */
export const SharesOf = z.object({
  owner_id: UserId.openapi({
    param: { name: 'owner_id', in: 'query' },
    description: 'The owner of the shared files',
  }),
})

export const ShareId = z.object({ id: IdInPath })

/** A share with the file that it gives access to, as its grantee sees it. */
const SharedWithMe = z
  .object({
    ...shareFields,
    file: z.object({
      id: Id,
      name: z.string(),
      asset_type: z.enum(assetTypes),
      size_bytes: z.int(),
      mime_type: z.string().nullable(),
      owner_id: z.string(),
      in_trash: z.boolean(),
    }),
  })
  .openapi('SharedWithMe')
export const SharedWithMeList = page({ shares: z.array(SharedWithMe) })
export type SharedWithMe = z.output<typeof SharedWithMe>
