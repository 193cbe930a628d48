/** A change of a part that code of the previous release writes to, and why that code notices nothing of it. */
export interface Change {
  /** The migration that made it. A later one that changes the part again needs an entry of its own. */
  migration: string
  parts: readonly string[]
  reason: string
}

/** The search by name of version 0.2.0: a full-text table with the tables that SQLite makes for it, two indexes, three triggers. */
const searchOf020 = [
  'table public_names',
  'column public_names.search_name',
  'column public_names.public_names',
  'column public_names.rank',
  'table public_names_data',
  'column public_names_data.id',
  'column public_names_data.block',
  'table public_names_idx',
  'column public_names_idx.segid',
  'column public_names_idx.term',
  'column public_names_idx.pgno',
  'unique public_names_idx (segid, term)',
  'table public_names_docsize',
  'column public_names_docsize.id',
  'column public_names_docsize.sz',
  'column public_names_docsize.origin',
  'table public_names_config',
  'column public_names_config.k',
  'column public_names_config.v',
  'unique public_names_config (k)',
  'index game_assets.game_assets_by_initial',
  'index game_assets.game_assets_by_two_initials',
  'trigger game_assets.game_assets_after_insert_add_name',
  'trigger game_assets.game_assets_after_update_change_name',
  'trigger game_assets.game_assets_after_delete_remove_name',
]

/** Every difference from the previous release that is not a new table, column or index. Empty after a release. */
export const changes: readonly Change[] = [
  {
    migration: '0005_profiles.sql',
    parts: ['trigger files.files_after_delete_remove_profile'],
    reason:
      'It removes a row of the new table `profiles` with the picture that the row names, and refuses nothing. So a purge or an erasure by code of the previous release leaves no profile behind.',
  },
  {
    migration: '0008_asset_pages.sql',
    parts: ['trigger asset_versions.asset_versions_after_insert_charge'],
    reason: 'It raises the new column `revision` of the asset, too, and charges what it did before.',
  },
  {
    migration: '0008_asset_pages.sql',
    parts: [
      'trigger asset_versions.asset_versions_before_delete_check_purging',
      'trigger asset_versions.asset_versions_before_delete_check_current',
    ],
    reason:
      'The new trigger refuses less: a version that is not the current one may go while its asset stays.',
  },
  {
    migration: '0008_asset_pages.sql',
    parts: [
      'trigger game_assets.game_assets_after_update_charge_preview',
      'trigger game_assets.game_assets_before_update_refuse_garbage',
    ],
    reason: 'They act when the new column `preview_key` is written, which 0.2.0 does not do.',
  },
  {
    migration: '0009_catalogue.sql',
    parts: [
      'trigger game_assets.game_assets_after_insert_mark',
      'trigger game_assets.game_assets_after_update_mark',
    ],
    reason: 'They mark an asset that 0.2.0 changes, and refuse nothing. So the next Worker writes its entry.',
  },
  {
    migration: '0010_drop_public_names.sql',
    parts: searchOf020,
    reason:
      'The exception that docs/upgrading.md names: a search with `q` by 0.2.0 fails. Nothing that 0.2.0 writes fails, because the triggers that wrote to the table are gone with it.',
  },
  {
    migration: '0011_favorites.sql',
    parts: ['trigger usage.usage_after_update_limit_favorites'],
    reason: 'It acts when the new column `favorites` is written, which 0.2.0 does not do.',
  },
  {
    migration: '0011_favorites.sql',
    parts: ['trigger game_assets.game_assets_after_delete_recount'],
    reason:
      'It makes a recount due when an asset goes that has favorites, and refuses nothing. 0.2.0 adds none.',
  },
  {
    migration: '0018_kept_bytes.sql',
    parts: [
      'trigger garbage.garbage_after_insert_keep',
      'trigger garbage.garbage_after_update_release_kept',
      'trigger garbage.garbage_after_delete_release_kept',
    ],
    reason:
      'They act on rows with the new column `kept_bytes`, which 0.2.0 does not write. Where 0.2.0 removes such a row, its bytes are released. They refuse nothing.',
  },
  {
    migration: '0018_kept_bytes.sql',
    parts: ['trigger asset_versions.asset_versions_after_delete_release'],
    reason:
      'It queues what it did before with its bytes, and now also the content of a version whose asset stays.',
  },
  {
    migration: '0018_kept_bytes.sql',
    parts: ['trigger game_assets.game_assets_after_delete_release_preview'],
    reason:
      'It queues the preview of an asset that goes, and refuses nothing. So a purge or an erasure by 0.2.0 leaves no preview behind.',
  },
]
