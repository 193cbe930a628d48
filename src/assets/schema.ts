import { z } from '@hono/zod-openapi'
import { gameAssetTypes, visibilities } from '../db/schema.ts'
import type { ErrorCode } from '../errors.ts'
import { Blocked, Cursor, flag, Id, IdInPath, PageLimit, page, Timestamp } from '../http/fields.ts'
import { reject } from '../http/validation.ts'
import { AssetName } from './name.ts'
import { Version, VersionNumber } from './version-schema.ts'

/** One of a few words, refused with a code of its own when it is none of them, or missing. */
function oneOf<Value extends string>(values: readonly Value[], code: ErrorCode, message: string) {
  return z
    .unknown()
    .transform((input, context) => values.find((value) => value === input) ?? reject(context, code, message))
    .openapi({ type: 'string', enum: [...values] })
}

/** An asset's type wherever a request names one. */
export const AssetType = oneOf(
  gameAssetTypes,
  'INVALID_ASSET_TYPE',
  'The type must be world, avatar or prop.',
)

/** Who may see an asset. */
export const AssetVisibility = oneOf(
  visibilities,
  'INVALID_VISIBILITY',
  'The visibility must be public or private.',
)

const members = {
  id: Id,
  owner_id: z.string(),
  type: z.enum(gameAssetTypes),
  name: z.string(),
  visibility: z
    .enum(visibilities)
    .openapi({ description: 'public: anyone signed in may view and branch; private: only the owner' }),
  current_version: z.int().openapi({ description: '0: there is no content yet' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  blocked: Blocked,
}

/** Specification §2.6. */
export const GameAsset = z.object(members).openapi('GameAsset')
export const GameAssetWithVersions = z
  .object({ ...members, versions: z.array(Version) })
  .openapi('GameAssetWithVersions')
export const GameAssetList = page({ assets: z.array(GameAsset) })
export const BranchList = page({ branches: z.array(GameAsset) })
export const Branch = z.object({ asset: GameAsset, version: Version })

export const AssetId = z.object({ id: IdInPath })

export const ListAssets = z.object({
  type: AssetType.optional(),
  deleted: flag('true: the deleted ones instead'),
  limit: PageLimit,
  cursor: Cursor,
})
export type ListAssets = z.output<typeof ListAssets>

/** In the order in which faults are told: name, type, visibility. */
export const CreateAsset = z.object({
  name: AssetName,
  type: AssetType,
  visibility: AssetVisibility.default('private'),
})
export type CreateAsset = z.output<typeof CreateAsset>

export const EditAsset = z
  .object({ name: AssetName.optional(), visibility: AssetVisibility.optional() })
  .transform((change, context) =>
    change.name === undefined && change.visibility === undefined
      ? reject(context, 'VALIDATION_FAILED', 'Send name, visibility, or both.')
      : change,
  )
export type EditAsset = z.output<typeof EditAsset>

export const DeleteAsset = z.object({
  permanent: flag('true: for good, also when it is deleted already'),
})

export const RestoreAsset = z.object({
  name: AssetName.optional().openapi({ description: 'Another name, when the old one has been taken' }),
})
export type RestoreAsset = z.output<typeof RestoreAsset>

export const BranchAsset = z.object({
  name: AssetName,
  from_version: VersionNumber.optional().openapi({
    type: 'integer',
    description: 'Default: the latest version',
  }),
})
export type BranchAsset = z.output<typeof BranchAsset>
