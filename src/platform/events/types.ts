import { z } from '@hono/zod-openapi'
import { type EventType, quotaThresholds } from '../config/event-names.ts'
import {
  appellants,
  assetTypes,
  blockedKinds,
  decisionActions,
  decisionGrounds,
  gameAssetTypes,
  permissions,
  reportCategories,
  targetTypes,
  uploadTypes,
  visibilities,
} from '../db/enumerations.ts'

/** Why an upload has failed. */
const uploadFailures = ['mismatch', 'rejected', 'expired', 'aborted', 'target_gone'] as const

/** Why a share has ended. */
const shareEnds = ['owner', 'grantee', 'file_purged', 'user_erased'] as const

const id = z.string()

const upload = {
  upload_id: id,
  owner_id: id,
  upload_type: z.enum(uploadTypes),
  size_bytes: z.int(),
  file_id: id.nullable().describe('null for a game asset'),
  asset_id: id.nullable().describe('null for a file, and for a new asset that was not made'),
}

/**
 * Every type of event, with the data that it carries: ids, sizes and states, never names or contents. docs/events.md is
 * tested against it.
 */
export const eventTypes = {
  'upload.completed': z
    .object({ ...upload, mime_type: z.string(), version: z.int().nullable().describe('null for a file') })
    .describe('The content has arrived and can be read.'),
  'upload.failed': z
    .object({ ...upload, reason: z.enum(uploadFailures) })
    .describe('The upload has ended without content, for whatever `reason`. Its bytes are released.'),
  'file.purged': z
    .object({ file_id: id, owner_id: id, asset_type: z.enum(assetTypes), size_bytes: z.int() })
    .describe('A file or folder is gone for good: from the trash, with its folder, or with its owner.'),
  'asset.created': z
    .object({
      asset_id: id,
      owner_id: id,
      type: z.enum(gameAssetTypes),
      visibility: z.enum(visibilities),
      branched_from_asset_id: id.nullable(),
    })
    .describe('A game asset was created, uploaded or branched.'),
  'asset.published': z
    .object({ asset_id: id, owner_id: id, type: z.enum(gameAssetTypes) })
    .describe(
      'Others can see the asset from now on: it was created public, became public, was restored or unblocked.',
    ),
  'asset.version_added': z
    .object({ asset_id: id, owner_id: id, version_id: id, version: z.int(), size_bytes: z.int() })
    .describe('The asset has a new version: the first one too, that of a branch, and that of a rollback.'),
  'asset.released': z
    .object({
      asset_id: id,
      owner_id: id,
      version: z.int().describe('what others get from now on'),
      previous_version: z.int(),
    })
    .describe(
      'Others than the owner get another version of the asset, because its channel `live` was set or deleted.',
    ),
  'asset.version_deleted': z
    .object({ asset_id: id, owner_id: id, version_id: id, version: z.int() })
    .describe('The owner has deleted one version of the asset. Versions that go with their asset have none.'),
  'asset.deleted': z
    .object({ asset_id: id, owner_id: id, permanent: z.boolean() })
    .describe('The asset is in its owner’s trash, or, when `permanent`, gone for good.'),
  'share.created': z
    .object({
      share_id: id,
      file_id: id,
      owner_id: id,
      grantee_id: id,
      permission: z.enum(permissions),
      expires_at: z.int().nullable(),
    })
    .describe(
      'A file is shared with another user. Sharing it again with them changes the share, and is no event.',
    ),
  'share.revoked': z
    .object({ share_id: id, file_id: id, owner_id: id, grantee_id: id, reason: z.enum(shareEnds) })
    .describe(
      'A share has ended before it expired. Its expiry is no event: `share.created` has `expires_at`.',
    ),
  'content.blocked': z
    .object({ kind: z.enum(blockedKinds), id, owner_id: id, blocked_by: id })
    .describe('A moderator has blocked a file, a folder with all that it holds, or an asset.'),
  'report.created': z
    .object({
      report_id: id,
      case_id: id,
      target_type: z.enum(targetTypes),
      target_id: id,
      owner_id: id.nullable().describe('null: the owner has been erased'),
      category: z.enum(reportCategories),
      is_illegal: z.boolean(),
      report_count: z.int().describe('The open reports of the case'),
    })
    .describe(
      'A player has reported something: the first open report of its case, the first that says it is illegal, or the first about the safety of a child. Further reports of a case are no event.',
    ),
  'decision.made': z
    .object({
      decision_id: id,
      case_id: id,
      target_type: z.enum(targetTypes),
      target_id: id,
      owner_id: id.nullable().describe('null: the owner has been erased'),
      action: z.enum(decisionActions),
      ground: z.enum(decisionGrounds),
      is_automated: z.boolean(),
    })
    .describe('A moderator has decided about a case, or the service has hidden what many have reported.'),
  'appeal.created': z
    .object({
      appeal_id: id,
      case_id: id,
      decision_id: id,
      owner_id: id.nullable().describe('null: the owner has been erased'),
      by: z.enum(appellants),
    })
    .describe('The owner of a thing, or somebody who reported it, appeals against a decision.'),
  'user.erased': z
    .object({ user_id: id })
    .describe('Everything that the user had is gone, in every database.'),
  'quota.threshold': z
    .object({
      user_id: id,
      threshold_percent: z.literal(quotaThresholds),
      used_bytes: z.int(),
      limit_bytes: z.int(),
    })
    .describe('The user’s storage has risen to 80 % or 100 % of its limit.'),
  'events.dropped': z
    .object({ events: z.int(), from: z.int(), until: z.int() })
    .describe(
      'This many events of this time were dropped: the outbox was full, or a user had too many in it.',
    ),
  'notification.undelivered': z
    .object({ notification_id: id, user_id: id, type: z.string() })
    .describe('A notification was published while no device of the user was connected.'),
} satisfies Record<EventType, z.ZodType>

/** A member that the data of any event has beside those of its type: who acted on behalf of the player. */
export const onBehalf = { actor: id.optional() }

/** The data of an event of a type. */
export type EventData<Type extends EventType> = z.output<(typeof eventTypes)[Type]>
