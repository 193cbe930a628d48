import { z } from '@hono/zod-openapi'
import { isUserId } from '../../platform/auth/caller.ts'
import { permissions } from '../../platform/db/enumerations.ts'
import {
  FutureTime,
  Id,
  IdInPath,
  KnownUserId,
  page,
  Timestamp,
  UserId,
  userIdInWords,
} from '../../platform/http/fields.ts'
import { reject } from '../../platform/http/validation.ts'
import { ItemType } from '../files/schema.ts'

const Permission = z.enum(permissions).openapi({
  'x-name': 'Permission',
  'x-description': 'Today `edit` grants the same as `view`',
})

/** A share (docs/conformance.md#shares). */
export const Share = z
  .object({
    id: Id,
    file_id: Id,
    grantee_id: KnownUserId,
    permission: Permission,
    expires_at: Timestamp.nullable().openapi({ description: 'null: never' }),
    created_at: Timestamp,
  })
  .openapi('Share', {
    example: {
      id: '019a7e31-8b12-7000-a4d7-0c5e2f9b1a36',
      file_id: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
      grantee_id: 'bob',
      permission: 'view',
      expires_at: 1_795_344_000,
      created_at: 1_795_257_600,
    },
  })
/** The answer to a list of a file's shares. */
export const ShareList = z.array(Share).openapi('ShareList')

/** The body of a request that shares a file. */
export const CreateShare = z
  .object({
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
      .openapi({ ...userIdInWords, type: 'string' }),
    permission: Permission,
    expires_at: FutureTime.nullish().openapi({
      description: 'Unix seconds, in the future; omitted or null: never',
    }),
  })
  .openapi('CreateShare', {
    example: { grantee_id: 'bob', permission: 'view', expires_at: 1_795_344_000 },
  })
export type CreateShare = z.output<typeof CreateShare>

/** The query of a request that leaves all shares of an owner. */
export const SharesOf = z.object({
  owner_id: UserId.openapi({
    param: { name: 'owner_id', in: 'query' },
    description: 'The owner of the shared files',
  }),
})

/** The id of a share in a path. */
export const ShareId = z.object({ id: IdInPath })

const SharedFile = z
  .object({
    id: Id,
    name: z.string(),
    asset_type: ItemType,
    size_bytes: z.int(),
    mime_type: z.string().nullable(),
    owner_id: KnownUserId,
    in_trash: z.boolean().openapi({ description: 'Whether its owner has deleted it: it may come back' }),
  })
  .openapi('SharedFile', {
    example: {
      id: '019a7e2d-1c40-7000-8f21-63d0a9b7e415',
      name: 'forest.png',
      asset_type: 'file',
      size_bytes: 20_971_520,
      mime_type: 'image/png',
      owner_id: 'ada',
      in_trash: false,
    },
  })

/** A share with its file, as the grantee sees them. */
const SharedWithMe = Share.extend({ file: SharedFile }).openapi('SharedWithMe', { example: undefined })
/** The answer to a list of the shares with the caller. */
export const SharedWithMePage = page({ shares: z.array(SharedWithMe) }).openapi('SharedWithMePage')
export type SharedWithMe = z.output<typeof SharedWithMe>
