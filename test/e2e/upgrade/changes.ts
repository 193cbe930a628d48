/** A change of a part that code of the previous release writes to, and why that code notices nothing of it. */
export interface Change {
  /** The migration that made it. A later one that changes the part again needs an entry of its own. */
  migration: string
  parts: readonly string[]
  reason: string
}

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
    parts: [
      'trigger asset_versions.asset_versions_after_insert_charge',
      'trigger asset_versions.asset_versions_after_delete_release',
    ],
    reason:
      'They count as before, by an index, and raise the new column `revision` with a version. Code of the previous release removes versions of assets that are purging, or that have moved: of the first it queues the same content, of the second none, as before.',
  },
  {
    migration: '0008_asset_pages.sql',
    parts: [
      'trigger asset_versions.asset_versions_before_delete_check_purging',
      'trigger asset_versions.asset_versions_before_delete_check_current',
    ],
    reason:
      'The second takes the place of the first, and lets go what the first let go: versions of an asset that is purging, or that moves. It refuses less.',
  },
  {
    migration: '0008_asset_pages.sql',
    parts: [
      'trigger game_assets.game_assets_after_update_charge_preview',
      'trigger game_assets.game_assets_before_update_refuse_garbage',
      'trigger game_assets.game_assets_after_delete_release_preview',
    ],
    reason:
      'The first two act on the new column `preview_key`, which code of the previous release does not write. The third queues the preview of an asset that such code removes, and refuses nothing.',
  },
  {
    migration: '0009_catalogue.sql',
    parts: [
      'trigger game_assets.game_assets_after_insert_mark',
      'trigger game_assets.game_assets_after_update_mark',
    ],
    reason:
      'They write a row of the new table `catalogue_marks` for what code of the previous release changes, so that the next release writes it into the catalogue. They refuse nothing.',
  },
  {
    migration: '0010_drop_public_names.sql',
    parts: [
      'index game_assets.game_assets_by_initial',
      'index game_assets.game_assets_by_two_initials',
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
      'trigger game_assets.game_assets_after_insert_add_name',
      'trigger game_assets.game_assets_after_update_change_name',
      'trigger game_assets.game_assets_after_delete_remove_name',
    ],
    reason:
      'Only the search by name reads them. Between this migration and the Worker of the next release, a request with `q` is answered INTERNAL (docs/upgrading.md); no write and no other read of the previous release needs them.',
  },
  {
    migration: '0011_favorites.sql',
    parts: ['trigger usage.usage_after_update_limit_favorites'],
    reason: 'It acts on the new column `favorites`, which code of the previous release does not write.',
  },
]
