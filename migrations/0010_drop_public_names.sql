-- The search of version 0.2.0, which the catalogue has taken over. Between this migration and the Worker of this release, a search
-- with `q` fails (docs/upgrading.md).
DROP TRIGGER game_assets_after_insert_add_name;
DROP TRIGGER game_assets_after_update_change_name;
DROP TRIGGER game_assets_after_delete_remove_name;
DROP TABLE public_names;
DROP INDEX game_assets_by_initial;
DROP INDEX game_assets_by_two_initials;
