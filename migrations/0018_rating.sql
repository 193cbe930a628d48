-- For whom an asset is: null (nobody has said), everyone, teen or mature. In this order of the texts, the place of a rating in
-- 'everyone teen mature' is its level. A CHECK with IN and three values reads two rows more for each row.
ALTER TABLE game_assets ADD COLUMN rating TEXT CHECK (rating = 'everyone' OR rating = 'teen' OR rating = 'mature');

-- The level that a moderator has set: while it is not null, no change takes the rating below it.
ALTER TABLE game_assets ADD COLUMN rating_locked TEXT
  CHECK (rating_locked = 'everyone' OR rating_locked = 'teen' OR rating_locked = 'mature')
  CHECK (rating_locked IS NULL
    OR coalesce(instr('everyone teen mature', rating), 0) >= instr('everyone teen mature', rating_locked));

CREATE TRIGGER game_assets_before_update_keep_rating_locked BEFORE UPDATE OF rating, rating_locked ON game_assets
WHEN instr('everyone teen mature', NEW.rating) < instr('everyone teen mature', NEW.rating_locked)
BEGIN SELECT RAISE(ABORT, 'refused:RATING_LOCKED'); END;

-- A rating is changed and not taken back: a rating that is gone would count as UNRATED_AS. Only the statement that ends a lock may.
CREATE TRIGGER game_assets_before_update_keep_rating BEFORE UPDATE OF rating ON game_assets
WHEN NEW.rating IS NULL AND OLD.rating IS NOT NULL AND (OLD.rating_locked IS NULL OR NEW.rating_locked IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'refused:VALIDATION_FAILED:rating'); END;

-- The rating of an entry is also one of its facets: ':teen'. An asset that nobody has rated has none.
ALTER TABLE catalogue_entries ADD COLUMN rating TEXT;
