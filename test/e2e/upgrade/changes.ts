/** A change of a part that code of the previous release writes to, and why that code notices nothing of it. */
export interface Change {
  /** The migration that made it. A later one that changes the part again needs an entry of its own. */
  migration: string
  parts: readonly string[]
  reason: string
}

const MOVING =
  'Counts and refuses as before, except while the user is being moved, which that code does not do.'

/** What is different from the previous release, beyond new tables, columns and indexes. Empty after a release. */
export const changes: readonly Change[] = [
  {
    migration: '0004_partitions.sql',
    parts: [
      'trigger files.files_after_insert_charge',
      'trigger uploads.uploads_before_insert_limit_ended',
      'trigger uploads.uploads_after_insert_charge',
      'trigger game_assets.game_assets_after_insert_count',
      'trigger idempotency.idempotency_after_insert_count',
      'trigger garbage.garbage_after_update_count',
      'trigger asset_versions.asset_versions_before_insert_check_number',
      'trigger asset_versions.asset_versions_before_delete_check_purging',
    ],
    reason: MOVING,
  },
  {
    migration: '0004_partitions.sql',
    parts: ['trigger shares.shares_after_insert_count'],
    reason: 'Counts a share that begins expired, too. That code inserts none.',
  },
  {
    migration: '0004_partitions.sql',
    parts: ['trigger asset_versions.asset_versions_before_insert_refuse_garbage'],
    reason: 'Refuses less: content may be queued that versions of other partitions share.',
  },
  {
    migration: '0005_moves.sql',
    parts: [
      'trigger files.files_after_delete_release',
      'trigger uploads.uploads_after_delete_release_open',
      'trigger uploads.uploads_after_delete_count_ended',
      'trigger game_assets.game_assets_after_delete_count',
      'trigger idempotency.idempotency_after_delete_count',
      'trigger garbage.garbage_after_delete_count',
    ],
    reason: MOVING,
  },
  {
    migration: '0007_content_check.sql',
    parts: [
      'trigger uploads.uploads_before_update_require_verdict',
      'trigger uploads.uploads_before_update_keep_verdict',
    ],
    reason:
      'Refuses changes of uploads that wait for a verdict: the version that sets check_state is the first to make any.',
  },
  {
    migration: '0008_faster_moves.sql',
    parts: ['trigger asset_versions.asset_versions_after_insert_charge'],
    reason:
      'Charges as before; it takes content off the garbage list that a version of its own partition keeps.',
  },
  {
    migration: '0009_fence.sql',
    parts: ['trigger usage.usage_before_insert_fence'],
    reason: 'Refuses users of partitions that are frozen or elsewhere. That code leaves `partition` null.',
  },
  {
    migration: '0010_going_back.sql',
    parts: [
      'trigger usage.usage_after_update_limit_bytes',
      'trigger usage.usage_after_update_limit_items',
      'trigger usage.usage_after_update_limit_assets',
      'trigger usage.usage_after_update_limit_open_uploads',
      'trigger usage.usage_after_update_limit_versions',
      'trigger usage.usage_after_update_limit_public_assets',
      'trigger usage.usage_after_update_limit_idempotency_keys',
    ],
    reason: MOVING,
  },
  {
    migration: '0010_going_back.sql',
    parts: ['trigger asset_versions.asset_versions_after_delete_release'],
    reason:
      'Releases as before. Content is queued with the last version of its own partition, and waits while branches share it.',
  },
]
