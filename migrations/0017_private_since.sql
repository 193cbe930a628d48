-- When an asset last became private: `public_since` counts anew only after a day of that. Null: it was never public.
ALTER TABLE game_assets ADD COLUMN private_since INTEGER;
