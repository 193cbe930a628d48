-- Safety (docs/moderating.md): reports, cases, decisions and appeals lie in the first database. The measure of a decision lies with
-- its thing, in the database of the thing's owner.

-- Everything about one thing. Only statements of moderation change it.
CREATE TABLE cases (
  id TEXT NOT NULL PRIMARY KEY,
  target_type TEXT NOT NULL CHECK (target_type IN ('asset', 'file', 'user')),
  target_id TEXT NOT NULL, -- of an erased user: a random id
  owner_id TEXT, -- null: erased
  -- How often the measure has changed: with each decision and each lifting. `applied` is the number that the thing has been given: while it
  -- is lower, the measure is on its way there.
  sequence INTEGER NOT NULL DEFAULT 0,
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied <= sequence),
  decision_id TEXT, -- the last decision; null once it was lifted
  decision TEXT, -- the last decision as JSON, lifted or not; a trigger keeps it
  appeal TEXT, -- the appeal against it, as JSON; a trigger keeps it
  appealed_at INTEGER, -- while an appeal is open
  decided_at INTEGER, -- the last decision or lifting; null: somebody has to look
  -- How many decisions have ended the reports that were open. A report is open while its round is that of its case.
  round INTEGER NOT NULL DEFAULT 0,
  -- Of open reports. `categories` is a JSON object from category to count, `seen` one with every category that was ever reported.
  report_count INTEGER NOT NULL DEFAULT 0 CHECK (report_count >= 0),
  illegal_count INTEGER NOT NULL DEFAULT 0,
  categories TEXT NOT NULL DEFAULT '{}',
  seen TEXT NOT NULL DEFAULT '{}',
  first_reported_at INTEGER,
  last_reported_at INTEGER,
  -- How many users have reported it for the first time since the last decision of a moderator, or its lifting.
  fresh_reporters INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  state TEXT NOT NULL GENERATED ALWAYS AS (
    CASE WHEN appealed_at IS NOT NULL THEN 'appealed'
      WHEN report_count > 0 OR decided_at IS NULL THEN 'open' ELSE 'decided' END) VIRTUAL,
  -- Whether a measure is in force: such a case is kept.
  is_measured INTEGER NOT NULL GENERATED ALWAYS AS (
    decision_id IS NOT NULL AND coalesce(decision ->> 'action', '') IN ('rate', 'unlist', 'block')) VIRTUAL,
  sort_at INTEGER NOT NULL GENERATED ALWAYS AS (coalesce(appealed_at, first_reported_at, decided_at, created_at)) VIRTUAL,
  UNIQUE (target_type, target_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX cases_oldest ON cases (state, sort_at, id);
CREATE INDEX cases_by_reports ON cases (state, report_count, id);
CREATE INDEX cases_of_owner_oldest ON cases (owner_id, state, sort_at, id) WHERE owner_id IS NOT NULL;
CREATE INDEX cases_of_owner_by_reports ON cases (owner_id, state, report_count, id) WHERE owner_id IS NOT NULL;
-- For the job: measures on their way, assets that many have reported, and cases that were decided long ago.
CREATE INDEX cases_pending ON cases (id) WHERE applied < sequence;
CREATE INDEX cases_crowded ON cases (fresh_reporters)
  WHERE target_type = 'asset' AND fresh_reporters > 0 AND (decision_id IS NULL OR decision ->> 'action' IN ('none', 'warn'));
CREATE INDEX cases_decided ON cases (changed_at) WHERE state = 'decided' AND is_measured = 0;
CREATE INDEX cases_measured ON cases (changed_at) WHERE state = 'decided' AND is_measured = 1;

-- A row for each case and each category that it was reported for: the queue of a category reads it alone.
CREATE TABLE case_categories (
  category TEXT NOT NULL,
  case_id TEXT NOT NULL,
  owner_id TEXT,
  state TEXT NOT NULL,
  sort_at INTEGER NOT NULL,
  report_count INTEGER NOT NULL,
  -- The other columns of the case as JSON. A trigger keeps the row.
  shown TEXT NOT NULL,
  PRIMARY KEY (case_id, category)
) STRICT, WITHOUT ROWID;

CREATE INDEX case_categories_oldest ON case_categories (category, state, sort_at, case_id);
CREATE INDEX case_categories_by_reports ON case_categories (category, state, report_count, case_id);

CREATE TRIGGER cases_after_update_categories AFTER UPDATE ON cases WHEN NEW.seen <> '{}' BEGIN
  INSERT INTO case_categories (category, case_id, owner_id, state, sort_at, report_count, shown)
    SELECT key, NEW.id, NEW.owner_id, NEW.state, NEW.sort_at, NEW.report_count,
      json_object('target_type', NEW.target_type, 'target_id', NEW.target_id, 'illegal_count', NEW.illegal_count,
        'categories', json(NEW.categories), 'first_reported_at', NEW.first_reported_at, 'last_reported_at', NEW.last_reported_at,
        'decision', json(NEW.decision), 'appeal', json(NEW.appeal))
    FROM json_each(NEW.seen) WHERE true
    ON CONFLICT (case_id, category) DO UPDATE SET owner_id = excluded.owner_id, state = excluded.state, sort_at = excluded.sort_at,
      report_count = excluded.report_count, shown = excluded.shown;
END;

CREATE TRIGGER cases_after_delete_all AFTER DELETE ON cases BEGIN
  DELETE FROM case_categories WHERE case_id = OLD.id;
  DELETE FROM appeals WHERE case_id = OLD.id;
  DELETE FROM decisions WHERE case_id = OLD.id;
  DELETE FROM reports WHERE case_id = OLD.id;
END;

CREATE TABLE reports (
  id TEXT NOT NULL PRIMARY KEY,
  case_id TEXT, -- null: of a user whom nobody knows here
  reporter_id TEXT, -- null: erased
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  category TEXT NOT NULL,
  text TEXT,
  is_illegal INTEGER NOT NULL CHECK (is_illegal IN (0, 1)),
  -- The round of the case in which it was made. The decision of this round has ended it; it is open until there is one.
  round INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- Of the request that made it: a hash of its reporter and its Idempotency-Key, and one of the request.
  key_hash TEXT,
  request_hash TEXT
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX reports_once ON reports (reporter_id, target_type, target_id, round) WHERE reporter_id IS NOT NULL;
CREATE UNIQUE INDEX reports_by_key ON reports (key_hash) WHERE key_hash IS NOT NULL;
CREATE INDEX reports_own ON reports (reporter_id, created_at, id) WHERE reporter_id IS NOT NULL;
CREATE INDEX reports_of_case ON reports (case_id, created_at, id) WHERE case_id IS NOT NULL;
CREATE INDEX reports_of_pair ON reports (case_id, reporter_id) WHERE case_id IS NOT NULL AND reporter_id IS NOT NULL;
CREATE INDEX reports_of_round ON reports (case_id, round, id) WHERE case_id IS NOT NULL;
CREATE INDEX reports_by_time ON reports (created_at, category, is_illegal);
-- For the erasure of a user.
CREATE INDEX reports_about_user ON reports (target_id, created_at) WHERE target_type = 'user';
CREATE INDEX reports_without_case ON reports (created_at) WHERE case_id IS NULL;

CREATE TRIGGER reports_after_insert_count AFTER INSERT ON reports WHEN NEW.case_id IS NOT NULL BEGIN
  UPDATE cases SET report_count = report_count + 1, illegal_count = illegal_count + NEW.is_illegal,
    categories = json_set(categories, '$.' || NEW.category, coalesce(categories ->> NEW.category, 0) + 1),
    seen = json_set(seen, '$.' || NEW.category, 1),
    first_reported_at = coalesce(first_reported_at, NEW.created_at), last_reported_at = NEW.created_at,
    fresh_reporters = fresh_reporters + NOT EXISTS (SELECT 1 FROM reports WHERE reporter_id = NEW.reporter_id
      AND case_id = NEW.case_id AND id <> NEW.id),
    changed_at = NEW.created_at
  WHERE id = NEW.case_id;
END;

-- A report of a user whom nobody knew gets its case when the user has something, and is reported again.
CREATE TRIGGER reports_after_update_count AFTER UPDATE OF case_id ON reports WHEN OLD.case_id IS NULL AND NEW.case_id IS NOT NULL BEGIN
  UPDATE cases SET report_count = report_count + 1, illegal_count = illegal_count + NEW.is_illegal,
    categories = json_set(categories, '$.' || NEW.category, coalesce(categories ->> NEW.category, 0) + 1),
    seen = json_set(seen, '$.' || NEW.category, 1),
    first_reported_at = min(coalesce(first_reported_at, NEW.created_at), NEW.created_at),
    last_reported_at = max(coalesce(last_reported_at, NEW.created_at), NEW.created_at),
    fresh_reporters = fresh_reporters + 1
  WHERE id = NEW.case_id;
END;

CREATE TABLE decisions (
  id TEXT NOT NULL PRIMARY KEY,
  case_id TEXT NOT NULL,
  sequence INTEGER NOT NULL, -- that of the case which it made
  round INTEGER, -- of the reports that it ended; null: it left them open
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  name TEXT, -- of the thing at that time
  owner_id TEXT, -- null: erased
  moderator_id TEXT, -- null: the service itself, or erased
  action TEXT NOT NULL CHECK (action IN ('none', 'warn', 'rate', 'unlist', 'block')),
  ground TEXT NOT NULL CHECK (ground IN ('law', 'terms')),
  rule TEXT,
  statement TEXT NOT NULL, -- '': its owner has been erased
  note TEXT,
  rating TEXT,
  is_automated INTEGER NOT NULL CHECK (is_automated IN (0, 1)),
  first_reported_at INTEGER, -- of the reports that were open
  created_at INTEGER NOT NULL,
  lifted_at INTEGER,
  appealable_until INTEGER NOT NULL,
  key_hash TEXT,
  request_hash TEXT
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX decisions_of_case ON decisions (case_id, sequence);
CREATE UNIQUE INDEX decisions_of_round ON decisions (case_id, round) WHERE round IS NOT NULL;
CREATE UNIQUE INDEX decisions_by_key ON decisions (key_hash) WHERE key_hash IS NOT NULL;
CREATE INDEX decisions_about ON decisions (owner_id, created_at, id) WHERE owner_id IS NOT NULL;
CREATE INDEX decisions_by_moderator ON decisions (moderator_id) WHERE moderator_id IS NOT NULL;
CREATE INDEX decisions_by_time ON decisions (created_at, action, ground, is_automated, first_reported_at);

-- One appeal a decision.
CREATE TABLE appeals (
  id TEXT NOT NULL PRIMARY KEY,
  case_id TEXT NOT NULL,
  decision_id TEXT NOT NULL UNIQUE,
  by TEXT NOT NULL CHECK (by IN ('owner', 'reporter')),
  user_id TEXT, -- null: erased
  text TEXT NOT NULL, -- '': erased
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'upheld', 'reversed')),
  answer TEXT,
  decided_by TEXT, -- null: not decided, or erased
  created_at INTEGER NOT NULL,
  decided_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX appeals_of_case ON appeals (case_id);
CREATE INDEX appeals_by_user ON appeals (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX appeals_by_moderator ON appeals (decided_by) WHERE decided_by IS NOT NULL;
CREATE INDEX appeals_by_time ON appeals (created_at, state);

CREATE TRIGGER decisions_after_insert_show AFTER INSERT ON decisions BEGIN
  UPDATE cases SET appeal = NULL, appealed_at = NULL, decision = json_object('id', NEW.id, 'target_type', NEW.target_type, 'target_id', NEW.target_id,
    'name', NEW.name, 'owner_id', NEW.owner_id, 'moderator_id', NEW.moderator_id, 'action', NEW.action, 'ground', NEW.ground,
    'rule', NEW.rule, 'statement', NEW.statement, 'note', NEW.note, 'rating', NEW.rating, 'is_automated', NEW.is_automated,
    'created_at', NEW.created_at, 'lifted_at', NEW.lifted_at, 'appealable_until', NEW.appealable_until)
  WHERE id = NEW.case_id;
END;

CREATE TRIGGER decisions_after_update_show AFTER UPDATE ON decisions BEGIN
  UPDATE cases SET decision = json_object('id', NEW.id, 'target_type', NEW.target_type, 'target_id', NEW.target_id,
    'name', NEW.name, 'owner_id', NEW.owner_id, 'moderator_id', NEW.moderator_id, 'action', NEW.action, 'ground', NEW.ground,
    'rule', NEW.rule, 'statement', NEW.statement, 'note', NEW.note, 'rating', NEW.rating, 'is_automated', NEW.is_automated,
    'created_at', NEW.created_at, 'lifted_at', NEW.lifted_at, 'appealable_until', NEW.appealable_until)
  WHERE id = NEW.case_id AND decision ->> 'id' = NEW.id;
END;

CREATE TRIGGER appeals_after_insert_show AFTER INSERT ON appeals BEGIN
  UPDATE cases SET appealed_at = NEW.created_at, changed_at = NEW.created_at, appeal = json_object('id', NEW.id, 'decision_id', NEW.decision_id,
    'by', NEW.by, 'text', NEW.text, 'state', NEW.state, 'answer', NEW.answer, 'created_at', NEW.created_at, 'decided_at', NEW.decided_at)
  WHERE id = NEW.case_id;
END;

CREATE TRIGGER appeals_after_update_show AFTER UPDATE ON appeals BEGIN
  UPDATE cases SET appealed_at = iif(NEW.state = 'open', appealed_at, NULL),
    appeal = json_object('id', NEW.id, 'decision_id', NEW.decision_id,
      'by', NEW.by, 'text', NEW.text, 'state', NEW.state, 'answer', NEW.answer, 'created_at', NEW.created_at, 'decided_at', NEW.decided_at)
  WHERE id = NEW.case_id AND appeal ->> 'id' = NEW.id;
END;

-- Notifications of moderation, until the inboxes have them. The batch that makes a change writes its notifications.
CREATE TABLE moderation_notices (
  id TEXT NOT NULL PRIMARY KEY,
  case_id TEXT NOT NULL,
  user_id TEXT, -- null: everybody whose report a decision has ended; `data` says how far it is
  type TEXT NOT NULL,
  data TEXT NOT NULL CHECK (json_valid(data)),
  due_at INTEGER NOT NULL -- when the job sends it
) STRICT, WITHOUT ROWID;

CREATE INDEX moderation_notices_by_time ON moderation_notices (due_at, id);
CREATE INDEX moderation_notices_of_case ON moderation_notices (case_id);
CREATE INDEX moderation_notices_by_user ON moderation_notices (user_id);

-- The measure of the last decision about a thing, in the database of the thing. It stays when the decision is lifted, with the action
-- 'none': an older measure that arrives late has a lower sequence, and changes nothing.
CREATE TABLE measures (
  kind TEXT NOT NULL CHECK (kind IN ('files', 'assets')),
  id TEXT NOT NULL, -- of the file or the asset
  sequence INTEGER NOT NULL, -- that of the case; 0: an own branch has taken it over
  decision_id TEXT, -- null: lifted
  action TEXT NOT NULL,
  rating TEXT,
  rating_before TEXT, -- the owner's rating when a moderator rated the asset
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- A moderator keeps the asset out of the catalogue. `is_in_catalogue` is declared anew with it.
DROP TRIGGER game_assets_after_insert_mark;
DROP TRIGGER game_assets_after_update_mark;
DROP INDEX branches_in_catalogue;
DROP INDEX branches_elsewhere;
ALTER TABLE game_assets DROP COLUMN is_in_catalogue;
ALTER TABLE game_assets ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0 CHECK (unlisted IN (0, 1));
ALTER TABLE game_assets ADD COLUMN is_in_catalogue INTEGER NOT NULL
  GENERATED ALWAYS AS (visibility = 'public' AND blocked = 0 AND deleted_at IS NULL AND listed = 1 AND unlisted = 0) VIRTUAL;

CREATE INDEX branches_in_catalogue ON game_assets (branched_from_asset_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_in_catalogue = 1;
CREATE INDEX branches_elsewhere ON game_assets (branched_from_asset_id, owner_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_in_catalogue = 0 AND deleted_at IS NULL;

CREATE TRIGGER game_assets_after_insert_mark AFTER INSERT ON game_assets
WHEN NEW.is_in_catalogue = 1 AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = NEW.owner_id AND moving = 1) BEGIN
  INSERT INTO catalogue_marks (asset_id, mark) VALUES (NEW.id, hex(randomblob(8)))
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

CREATE TRIGGER game_assets_after_update_mark AFTER UPDATE ON game_assets
WHEN (OLD.is_in_catalogue = 1 OR NEW.is_in_catalogue = 1)
  AND (NEW.is_in_catalogue, NEW.revision, NEW.favorites, NEW.name, NEW.updated_at)
    IS NOT (OLD.is_in_catalogue, OLD.revision, OLD.favorites, OLD.name, OLD.updated_at) BEGIN
  INSERT INTO catalogue_marks (asset_id, mark) VALUES (NEW.id, hex(randomblob(8)))
    ON CONFLICT (asset_id) DO UPDATE SET mark = excluded.mark;
END;

-- A measure is in force as soon as its row is written. A copy that the mover makes changes nothing: the copied thing has it already.
CREATE TRIGGER measures_after_insert_apply AFTER INSERT ON measures WHEN NEW.sequence > 0 BEGIN
  UPDATE game_assets SET revision = revision + 1, blocked = iif(NEW.action = 'block', 1, blocked), unlisted = (NEW.action = 'unlist'),
    rating = iif(NEW.action = 'rate', NEW.rating, rating), rating_locked = iif(NEW.action = 'rate', NEW.rating, NULL)
  WHERE NEW.kind = 'assets' AND id = NEW.id AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = owner_id AND moving = 1)
    AND (blocked, unlisted, rating, rating_locked) IS NOT (iif(NEW.action = 'block', 1, blocked), NEW.action = 'unlist',
      iif(NEW.action = 'rate', NEW.rating, rating), iif(NEW.action = 'rate', NEW.rating, NULL));
  UPDATE files SET revision = revision + 1, blocked = 1
  WHERE NEW.kind = 'files' AND id = NEW.id AND NEW.action = 'block' AND blocked = 0
    AND NOT EXISTS (SELECT 1 FROM usage WHERE user_id = owner_id AND moving = 1);
END;

CREATE TRIGGER measures_after_update_apply AFTER UPDATE OF sequence ON measures WHEN NEW.sequence > OLD.sequence BEGIN
  UPDATE game_assets SET revision = revision + 1,
    blocked = iif(NEW.action = 'block', 1, iif(OLD.action = 'block', 0, blocked)), unlisted = (NEW.action = 'unlist'),
    rating = iif(NEW.action = 'rate', NEW.rating, iif(OLD.action = 'rate' AND rating IS OLD.rating, OLD.rating_before, rating)),
    rating_locked = iif(NEW.action = 'rate', NEW.rating, NULL)
  WHERE NEW.kind = 'assets' AND id = NEW.id
    AND (blocked, unlisted, rating, rating_locked) IS NOT (iif(NEW.action = 'block', 1, iif(OLD.action = 'block', 0, blocked)),
      NEW.action = 'unlist',
      iif(NEW.action = 'rate', NEW.rating, iif(OLD.action = 'rate' AND rating IS OLD.rating, OLD.rating_before, rating)),
      iif(NEW.action = 'rate', NEW.rating, NULL));
  UPDATE files SET revision = revision + 1, blocked = (NEW.action = 'block')
  WHERE NEW.kind = 'files' AND id = NEW.id AND (NEW.action = 'block' OR OLD.action = 'block') AND blocked <> (NEW.action = 'block');
END;

CREATE TRIGGER game_assets_after_delete_measure AFTER DELETE ON game_assets BEGIN
  DELETE FROM measures WHERE kind = 'assets' AND id = OLD.id;
END;

CREATE TRIGGER files_after_delete_measure AFTER DELETE ON files BEGIN
  DELETE FROM measures WHERE kind = 'files' AND id = OLD.id;
END;

-- What an own branch takes over from its source.
CREATE TRIGGER game_assets_after_insert_measure AFTER INSERT ON game_assets
WHEN NEW.branched_from_asset_id IS NOT NULL AND (NEW.blocked = 1 OR NEW.unlisted = 1 OR NEW.rating_locked IS NOT NULL) BEGIN
  INSERT INTO measures (kind, id, sequence, decision_id, action, rating, rating_before)
    SELECT 'assets', NEW.id, 0, decision_id, action, rating, rating_before FROM measures
    WHERE kind = 'assets' AND id = NEW.branched_from_asset_id AND action IN ('rate', 'unlist', 'block');
END;

-- An erasure takes a user out of moderation by an INSERT into this view: out of up to 500 rows of each table. Counts, categories and
-- measures stay. `mark` stands for the id of an erased user.
CREATE VIEW moderation_erasure (user_id, until, mark) AS SELECT '', 0, '';

CREATE TRIGGER moderation_erasure_instead_of_insert_forget INSTEAD OF INSERT ON moderation_erasure BEGIN
  UPDATE reports SET reporter_id = NULL, text = NULL, key_hash = NULL, request_hash = NULL
  WHERE id IN (SELECT id FROM reports INDEXED BY reports_own
    WHERE reporter_id = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  UPDATE reports SET target_id = NEW.mark
  WHERE id IN (SELECT id FROM reports INDEXED BY reports_about_user
    WHERE target_type = 'user' AND target_id = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  UPDATE decisions SET owner_id = NULL, name = NULL, rule = NULL, statement = '', note = NULL,
    target_id = iif(target_type = 'user', NEW.mark, target_id)
  WHERE id IN (SELECT id FROM decisions INDEXED BY decisions_about
    WHERE owner_id = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  UPDATE decisions SET moderator_id = NULL
  WHERE id IN (SELECT id FROM decisions INDEXED BY decisions_by_moderator
    WHERE moderator_id = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  UPDATE appeals SET user_id = NULL, text = '', answer = iif(answer IS NULL, NULL, ''),
    decided_at = iif(state = 'open', NEW.until, decided_at), state = iif(state = 'open', 'upheld', state)
  WHERE id IN (SELECT id FROM appeals INDEXED BY appeals_by_user
    WHERE user_id = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  UPDATE appeals SET decided_by = NULL
  WHERE id IN (SELECT id FROM appeals INDEXED BY appeals_by_moderator
    WHERE decided_by = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  UPDATE cases SET owner_id = NULL, target_id = iif(target_type = 'user', NEW.mark, target_id)
  WHERE id IN (SELECT id FROM cases INDEXED BY cases_of_owner_oldest
    WHERE owner_id = NEW.user_id AND created_at <= NEW.until LIMIT 500);
  DELETE FROM moderation_notices
  WHERE id IN (SELECT id FROM moderation_notices INDEXED BY moderation_notices_by_user WHERE user_id = NEW.user_id LIMIT 500);
END;
