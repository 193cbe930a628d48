import { z } from '@hono/zod-openapi'
import { Id, IdInPath, page, Timestamp } from '../http/fields.ts'

/** Specification §2.7. */
export const Version = z
  .object({
    id: Id,
    asset_id: Id,
    version: z.int().min(1),
    size_bytes: z.int(),
    created_at: Timestamp,
    branched_from_asset_id: Id.nullable().openapi({
      description:
        'Set in the first version of a branch, for its owner and for those who may read what it was branched from',
    }),
    branched_from_version: z.int().nullable(),
  })
  .openapi('AssetVersion')

export const VersionList = page({ versions: z.array(Version) })

/** A version's number in a path; 0, which no version has, for what can't be one. */
const VersionInPath = z
  .string()
  .transform((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0))
  .openapi({ type: 'integer', minimum: 1, param: { name: 'version', in: 'path' } })

export const VersionOfAsset = z.object({ id: IdInPath, version: VersionInPath })

/** The number of a version in a body: any whole number, since one that no version has is just not found. */
export const VersionNumber = z.number().refine(Number.isInteger, 'must be a whole number')

export const RollBack = z.object({
  from_version: VersionNumber.openapi({ type: 'integer', description: 'The version whose content to take' }),
})
