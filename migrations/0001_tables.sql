-- Tables and their indexes. Limits and counters: 0002_triggers.sql. Search: 0003_search.sql. Partitions, hints and moves:
-- 0004_partitions.sql.
--
-- Ids are UUIDv7 in text (src/platform/db/id.ts). User ids are the identity provider's. Characters 21 to 23 of an id are the
-- partition of its owner, three hexadecimal digits. Times are Unix seconds unless a comment says milliseconds. Booleans are 0
-- and 1.

-- One row for each user who has created anything: the counters and the limits. Only triggers change the counters.
-- Each batch that charges a user writes the limits of today's configuration first (src/features/quota/usage.ts), because a
-- trigger can't read a variable.
CREATE TABLE usage (
  user_id TEXT NOT NULL PRIMARY KEY,
  partition TEXT NOT NULL, -- the user's, three hexadecimal digits: the mover finds users by it
  used_bytes INTEGER NOT NULL DEFAULT 0 CHECK (used_bytes >= 0),
  limit_bytes INTEGER CHECK (limit_bytes >= 0), -- set by an operator; null: the default
  default_limit_bytes INTEGER NOT NULL,
  items INTEGER NOT NULL DEFAULT 0 CHECK (items >= 0), -- files and folders, those in the trash included
  max_items INTEGER NOT NULL,
  assets INTEGER NOT NULL DEFAULT 0 CHECK (assets >= 0), -- deleted ones included, until they are purged
  max_assets INTEGER NOT NULL,
  public_assets INTEGER NOT NULL DEFAULT 0 CHECK (public_assets >= 0), -- blocked ones included
  max_public_assets INTEGER NOT NULL,
  versions INTEGER NOT NULL DEFAULT 0 CHECK (versions >= 0), -- of all assets together
  max_versions INTEGER NOT NULL,
  open_uploads INTEGER NOT NULL DEFAULT 0 CHECK (open_uploads >= 0),
  -- Keys in `garbage` of uploads that did not complete, which a URL may still write. They count with the open uploads.
  writable_keys INTEGER NOT NULL DEFAULT 0 CHECK (writable_keys >= 0),
  max_open_uploads INTEGER NOT NULL,
  ended_uploads INTEGER NOT NULL DEFAULT 0 CHECK (ended_uploads >= 0), -- remembered for a time
  max_ended_uploads INTEGER NOT NULL,
  idempotency_keys INTEGER NOT NULL DEFAULT 0 CHECK (idempotency_keys >= 0),
  max_idempotency_keys INTEGER NOT NULL,
  -- Set while triggers leave the counters alone: the mover copies the user's rows to this database or removes them from it, or
  -- a recount writes the counters.
  moving INTEGER NOT NULL DEFAULT 0 CHECK (moving IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_partition ON usage (partition);

-- Files and folders.
CREATE TABLE files (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  -- Null: root level. No foreign key: it would scan at each purge, and the parent may be gone before the child.
  parent_id TEXT,
  name TEXT NOT NULL COLLATE NOCASE,
  asset_type TEXT NOT NULL CHECK (asset_type IN ('folder', 'file', 'profile_pic', 'emote', 'chat_attachment')),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0) CHECK (asset_type <> 'folder' OR size_bytes = 0),
  mime_type TEXT CHECK ((asset_type = 'folder') = (mime_type IS NULL)),
  processing_state TEXT CHECK (processing_state IN ('pending', 'processing', 'ready', 'failed'))
    CHECK ((asset_type = 'folder') = (processing_state IS NULL)),
  -- The content in R2; null until an upload has completed.
  object_key TEXT CHECK (object_key IS NOT NULL OR processing_state IS NOT 'ready'),
  -- The bytes that the file counts in its owner's quota. An upload's reservation holds the bytes until the file is ready.
  charged_bytes INTEGER NOT NULL GENERATED ALWAYS AS (iif(processing_state IS 'ready', size_bytes, 0)) VIRTUAL,
  is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  revision INTEGER NOT NULL DEFAULT 1,
  share_count INTEGER NOT NULL DEFAULT 0 CHECK (share_count >= 0), -- expired ones included
  -- The flagged ones (shares.expired), which no longer count towards the limit of the file.
  expired_share_count INTEGER NOT NULL DEFAULT 0 CHECK (expired_share_count >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  trashed_at INTEGER, -- milliseconds; set on the item that was deleted, never on the items below it
  purging INTEGER NOT NULL DEFAULT 0 CHECK (purging = 0 OR (purging = 1 AND trashed_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- A page of a folder in three sorts: with a type filter one range of an index, without it a merge over the five types.
-- (Measured against six plain indexes: four rows fewer written by each change, five more read for a page.) They leave
-- out blocked rows, so that a stranger's page reads none.
CREATE INDEX files_by_name ON files (owner_id, parent_id, asset_type, name, id) WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_by_created_at ON files (owner_id, parent_id, asset_type, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 0;
CREATE INDEX files_by_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 0;
-- The owner's page merges the blocked rows in, in the order of the page, with and without a type filter.
CREATE INDEX files_blocked_by_name ON files (owner_id, parent_id, name, id) WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_created_at ON files (owner_id, parent_id, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_size_bytes ON files (owner_id, parent_id, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_name ON files (owner_id, parent_id, asset_type, name, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_created_at ON files (owner_id, parent_id, asset_type, created_at, id)
  WHERE trashed_at IS NULL AND blocked = 1;
CREATE INDEX files_blocked_by_type_and_size_bytes ON files (owner_id, parent_id, asset_type, size_bytes, id)
  WHERE trashed_at IS NULL AND blocked = 1;
-- Whether an owner has any blocked item: most owners have none, so their paths need no walk for it.
CREATE INDEX files_blocked ON files (owner_id) WHERE blocked = 1;
-- The folders below a folder, those in the trash included: a move computes the new depth from them.
CREATE INDEX folders_by_parent ON files (parent_id) WHERE asset_type = 'folder';
-- An owner's trash, most recent first.
CREATE INDEX files_in_trash ON files (owner_id, trashed_at, id) WHERE trashed_at IS NOT NULL AND purging = 0;
-- For the job: items that have been in the trash for long enough, and items that are being purged.
CREATE INDEX files_by_time_in_trash ON files (trashed_at) WHERE trashed_at IS NOT NULL AND purging = 0;
CREATE INDEX files_purging ON files (owner_id, id) WHERE purging = 1;
-- Items in the trash whose folder a purge removes. They stay, and take over a block of the folder. The purge reads only items
-- that are not blocked yet.
CREATE INDEX files_trashed_inside ON files (parent_id) WHERE trashed_at IS NOT NULL AND purging = 0 AND blocked = 0;

-- Uploads. An upload's id is also the key of its object in R2, so no upload overwrites another's object.
CREATE TABLE uploads (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  upload_type TEXT NOT NULL CHECK (upload_type IN ('file', 'game_asset')),
  -- 'completing' is a note for readers, not a lock: every rule counts it as open.
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completing', 'completed', 'failed')),
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  mime_type TEXT NOT NULL,
  checksum_sha256 TEXT, -- base64
  -- Of an upload in parts: R2's id of the multipart upload, the size of each part except the last, and the parts that have
  -- arrived, as a JSON object from part number to ETag.
  multipart_id TEXT,
  part_size INTEGER CHECK ((part_size IS NULL) = (multipart_id IS NULL)),
  parts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(parts)),
  -- The file that gets the content; whether the upload replaces earlier content of the file; and the revisions of the file
  -- that the client wants to replace, as a JSON array (null: any).
  file_id TEXT CHECK ((upload_type = 'file') = (file_id IS NOT NULL)),
  replaces INTEGER NOT NULL DEFAULT 0 CHECK (replaces IN (0, 1)),
  expected_revisions TEXT,
  -- Of a new version: its asset. Of a new asset: the properties, and from completion on the id.
  asset_id TEXT,
  asset_type TEXT
    CHECK (asset_type IS NULL OR (upload_type = 'game_asset' AND asset_type IN ('world', 'avatar', 'prop'))),
  name TEXT CHECK ((name IS NULL) = (asset_type IS NULL)),
  visibility TEXT CHECK (visibility IN ('public', 'private')) CHECK ((visibility IS NULL) = (asset_type IS NULL)),
  -- The check of content before it is ready (docs/content-check.md). Set at completion, when a checker has to look at the
  -- content first. The upload stays 'completing' until the verdict.
  --   waiting: no verdict yet.   ready, failed: the verdict.
  check_state TEXT CHECK (check_state IN ('waiting', 'ready', 'failed')),
  check_began_at INTEGER CHECK ((check_state IS NULL) = (check_began_at IS NULL)),
  -- How many times the checker has been asked, and when it is asked again.
  check_attempts INTEGER NOT NULL DEFAULT 0,
  check_next_at INTEGER CHECK ((check_next_at IS NOT NULL) = (check_state IS 'waiting')),
  completion_id TEXT, -- of the completion that ended the upload; also the id of the version that it made
  failure_code TEXT CHECK ((failure_code IS NULL) = (failure IS NULL)), -- the error code of the answer
  failure TEXT CHECK ((state = 'failed') = (failure IS NOT NULL)), -- the reason, for the client
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  url_ttl INTEGER NOT NULL -- how long a URL to the object is valid: UPLOAD_URL_TTL at the start, in seconds
) STRICT, WITHOUT ROWID;

CREATE INDEX uploads_of_file ON uploads (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX uploads_open ON uploads (expires_at) WHERE state IN ('open', 'completing');
-- Ended uploads, which the job removes later.
CREATE INDEX uploads_ended ON uploads (expires_at) WHERE state IN ('completed', 'failed');
-- For erasing a user: uploads of files go with their files.
CREATE INDEX uploads_of_assets ON uploads (owner_id) WHERE upload_type = 'game_asset';
-- For the job: uploads whose checker is to be asked again, and how long the oldest has waited.
CREATE INDEX uploads_to_check ON uploads (check_next_at) WHERE check_state = 'waiting' AND state IN ('open', 'completing');
CREATE INDEX uploads_in_check ON uploads (check_began_at) WHERE check_state = 'waiting' AND state IN ('open', 'completing');

-- A file or folder that its owner shares with another user.
CREATE TABLE shares (
  id TEXT NOT NULL PRIMARY KEY,
  file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  owner_id TEXT NOT NULL, -- the file's
  grantee_id TEXT NOT NULL,
  permission TEXT NOT NULL CHECK (permission IN ('view', 'edit')),
  expires_at INTEGER, -- null: never
  -- Set some time after expires_at, by the job or by a new share that needs the room, so that the grantee's list reads
  -- past no expired share. Rules look at expires_at only. The job removes the row 30 days later.
  expired INTEGER NOT NULL DEFAULT 0 CHECK (expired IN (0, 1)),
  created_at INTEGER NOT NULL,
  UNIQUE (file_id, grantee_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_with_grantee ON shares (grantee_id, id) WHERE expired = 0;
-- What one owner shares with one grantee, who can leave all of it at once.
CREATE INDEX shares_between ON shares (grantee_id, owner_id) WHERE expired = 0;
CREATE INDEX shares_of_file_by_expiry ON shares (file_id, expired, expires_at);
-- For the job: shares to flag, and flagged ones to remove.
CREATE INDEX shares_by_expiry ON shares (expires_at) WHERE expired = 0 AND expires_at IS NOT NULL;
CREATE INDEX shares_long_expired ON shares (expires_at) WHERE expired = 1;
-- For erasing a user.
CREATE INDEX shares_expired_with_grantee ON shares (grantee_id) WHERE expired = 1;

CREATE TABLE game_assets (
  -- The rowid in public_names. 48 bits of the id's time, 12 of its random bits and the first 3 of its partition (`rowidOf` in
  -- src/platform/db/id.ts), so that a search has the same order in every database.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  owner_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('world', 'avatar', 'prop')),
  name TEXT NOT NULL CHECK (name <> ''),
  search_name TEXT NOT NULL, -- the name as search compares it (src/features/assets/name.ts)
  visibility TEXT NOT NULL CHECK (visibility IN ('public', 'private')),
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  current_version INTEGER NOT NULL DEFAULT 0 CHECK (current_version >= 0),
  branched_from_asset_id TEXT, -- may outlive the asset that it names
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER, -- milliseconds
  purging INTEGER NOT NULL DEFAULT 0 CHECK (purging = 0 OR (purging = 1 AND deleted_at IS NOT NULL)),
  -- While it is being purged: until when its content stays (CONTENT_GRACE_DAYS). Null: the content goes at once.
  kept_until INTEGER,
  -- Whether users other than the owner can see it.
  is_listed INTEGER NOT NULL
    GENERATED ALWAYS AS (visibility = 'public' AND blocked = 0 AND deleted_at IS NULL) VIRTUAL
) STRICT;

CREATE UNIQUE INDEX game_assets_by_name ON game_assets (owner_id, name) WHERE deleted_at IS NULL;
-- Pages, newest first: of one type a range of the index, of all types a merge of the three.
CREATE INDEX game_assets_own ON game_assets (owner_id, type, id) WHERE deleted_at IS NULL;
CREATE INDEX game_assets_deleted ON game_assets (owner_id, type, id) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_listed ON game_assets (type, id) WHERE is_listed = 1;
-- Search for one or two characters, which are too few for a trigram.
CREATE INDEX game_assets_by_initial ON game_assets (substr(search_name, 1, 1), type, id) WHERE is_listed = 1;
CREATE INDEX game_assets_by_two_initials ON game_assets (substr(search_name, 1, 2), type, id) WHERE is_listed = 1;
-- An asset's branches: the listed ones, and each user's others. Every live branch is in one of the two.
CREATE INDEX branches_listed ON game_assets (branched_from_asset_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_listed = 1;
CREATE INDEX branches_unlisted ON game_assets (branched_from_asset_id, owner_id, id)
  WHERE branched_from_asset_id IS NOT NULL AND is_listed = 0 AND deleted_at IS NULL;
-- For the job: assets that were deleted long enough ago, and assets that are being purged.
CREATE INDEX game_assets_by_deletion ON game_assets (deleted_at) WHERE deleted_at IS NOT NULL AND purging = 0;
CREATE INDEX game_assets_purging ON game_assets (owner_id, id) WHERE purging = 1;

CREATE TABLE asset_versions (
  asset_id TEXT NOT NULL REFERENCES game_assets (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  id TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 1),
  mime_type TEXT NOT NULL,
  object_key TEXT NOT NULL, -- the content in R2, which branches and rollbacks share
  branched_from_asset_id TEXT,
  branched_from_version INTEGER CHECK ((branched_from_asset_id IS NULL) = (branched_from_version IS NULL)),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (asset_id, version)
) STRICT, WITHOUT ROWID;

-- The versions of one content, those of one partition together: however many branches share a content, one look-up says
-- whether a version of its own partition does.
CREATE INDEX asset_versions_by_object ON asset_versions (object_key, substr(asset_id, 21, 3));

-- A trash that was emptied: every item of the owner's with `trashed_at` up to `emptied_at` is being purged. Items that are
-- deleted afterwards get a later time, even if clocks differ. The job removes the row when no such item is left.
CREATE TABLE trash_emptied (
  owner_id TEXT NOT NULL PRIMARY KEY,
  emptied_at INTEGER NOT NULL -- milliseconds
) STRICT, WITHOUT ROWID;

-- A user who was erased: every row of the user with `created_at` up to `until` is being purged. Rows that the user creates
-- afterwards get a later time, even if clocks differ. The job removes the row when no such row is left, and the inbox has been
-- erased.
CREATE TABLE erasures (
  user_id TEXT NOT NULL PRIMARY KEY,
  until INTEGER NOT NULL,
  mark TEXT NOT NULL, -- the erasure's id, which sorts by time: the inbox keeps the last one, and is erased once for each
  -- 1: the user's own data are in another database, and only what was shared with the user is to be removed from this one.
  is_guest INTEGER NOT NULL DEFAULT 0 CHECK (is_guest IN (0, 1)),
  inbox_erased INTEGER NOT NULL DEFAULT 0 CHECK (inbox_erased IN (0, 1)),
  -- The last database from whose blocks the user's id, as the moderator's, has been removed: they take turns. Null: none yet.
  asked TEXT,
  next_at INTEGER NOT NULL DEFAULT 0 -- when the job looks at it again, in milliseconds
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_by_turn ON erasures (next_at);

-- Who blocked a file, a folder or an asset, when and why. Rules read the item's own column `blocked`; triggers keep a row here
-- while that is set.
CREATE TABLE blocks (
  kind TEXT NOT NULL CHECK (kind IN ('files', 'assets')),
  id TEXT NOT NULL, -- of the file or the asset
  blocked_at INTEGER NOT NULL,
  blocked_by TEXT, -- the moderator; null: not known
  reason TEXT,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_newest ON blocks (kind, blocked_at, id);
-- For erasing a moderator (docs/erasing.md).
CREATE INDEX blocks_by_moderator ON blocks (blocked_by, blocked_at) WHERE blocked_by IS NOT NULL;

-- Objects whose last row is gone. Written in the batch that removes the row, so that a crash leaves work for the job and
-- never an object that nothing refers to. The job deletes an object at once, again when the last URL to it has expired,
-- and once more when a PUT that began in time has ended. Then it removes the row.
CREATE TABLE garbage (
  object_key TEXT NOT NULL PRIMARY KEY,
  multipart_id TEXT, -- R2 keeps the parts until the multipart upload is aborted
  writable_until INTEGER NOT NULL, -- a URL may still create the object until then
  enqueued_at INTEGER, -- by the clock of the Worker that wrote the row
  owner_id TEXT, -- set while the key counts with its owner's open uploads
  is_orphan INTEGER NOT NULL DEFAULT 0 CHECK (is_orphan IN (0, 1)), -- found in the bucket, without a row that has its key
  -- 1: the content of an asset's version. It is queued when the last version of its own partition is removed, and waits here
  -- while versions of other partitions share it.
  is_version INTEGER NOT NULL DEFAULT 0 CHECK (is_version IN (0, 1)),
  -- Set once no version shares the content: triggers refuse new ones from then on.
  deleting INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1)),
  -- Purged content stays until then for this user, so that a database that is restored to before the purge has its content
  -- (docs/going-back.md). The erasure of the user ends it. Null without CONTENT_GRACE_DAYS.
  kept_until INTEGER,
  kept_for TEXT,
  next_at INTEGER NOT NULL DEFAULT 0 -- when the job looks at it again
) STRICT, WITHOUT ROWID;

CREATE INDEX garbage_by_turn ON garbage (next_at);
CREATE INDEX garbage_by_owner ON garbage (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX garbage_kept ON garbage (kept_for) WHERE kept_for IS NOT NULL;

-- The resource that a request with an Idempotency-Key created, for 24 hours.
CREATE TABLE idempotency (
  caller_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  made_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (caller_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Events for the studio's server (docs/events.md), until they have been delivered. The batch that makes a change inserts its
-- events, so an event is here exactly when the change was made. Without WEBHOOK_URL the table stays empty.
CREATE TABLE outbox (
  id TEXT NOT NULL PRIMARY KEY, -- the webhook-id; with the partition of the resource that the event is about
  type TEXT NOT NULL,
  -- The user whom the event is about. '': none.
  owner_id TEXT GENERATED ALWAYS AS (coalesce(data ->> 'owner_id', data ->> 'user_id', '')) VIRTUAL,
  resource_id TEXT NOT NULL, -- the resource that the event is about: its events are delivered one after the other
  seq INTEGER NOT NULL, -- their order; two events that one statement wrote may have the same
  data TEXT NOT NULL CHECK (json_valid(data)),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, -- deliveries that have begun
  -- When the next delivery may begin, in Unix seconds; during one, when it counts as lost. Below 1000000000 it is no time, but
  -- a turn, which is always due.
  next_at INTEGER NOT NULL,
  parked_at INTEGER, -- set when delivery was given up: the row waits for an operator, and holds back no later event
  last_error TEXT
) STRICT, WITHOUT ROWID;

-- The events of a resource are those of one owner, so this index serves both.
CREATE INDEX outbox_by_resource ON outbox (owner_id, resource_id, seq) WHERE parked_at IS NULL;
CREATE INDEX outbox_by_turn ON outbox (next_at) WHERE parked_at IS NULL;
CREATE INDEX outbox_parked ON outbox (parked_at) WHERE parked_at IS NOT NULL;
-- Parked events by the users whom they name, for the erasure of a user.
CREATE INDEX outbox_parked_about ON outbox (coalesce(data ->> 'owner_id', data ->> 'user_id')) WHERE parked_at IS NOT NULL;
CREATE INDEX outbox_parked_for ON outbox (data ->> 'grantee_id') WHERE parked_at IS NOT NULL AND data ->> 'grantee_id' IS NOT NULL;
CREATE INDEX outbox_parked_by ON outbox (data ->> 'blocked_by') WHERE parked_at IS NOT NULL AND data ->> 'blocked_by' IS NOT NULL;

-- How many events there are, parked ones included (docs/event-limits.md). Only triggers change `events`. An owner has a row
-- from 16 events on, until fewer than 8 are left: most owners never have one, and their events cost one row less.
CREATE TABLE outbox_counts (
  owner_id TEXT NOT NULL PRIMARY KEY, -- '': all owners together
  events INTEGER NOT NULL CHECK (events >= 0),
  -- Of '': the events that were dropped at a limit since the last `events.dropped`, and when the first and the last one happened.
  dropped INTEGER NOT NULL DEFAULT 0,
  dropped_from INTEGER,
  dropped_until INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO outbox_counts (owner_id, events) VALUES ('', 0);

-- The position from which a task of the job continues.
CREATE TABLE progress (
  task TEXT NOT NULL PRIMARY KEY,
  position TEXT -- null: from the beginning
) STRICT, WITHOUT ROWID;

-- The walk through the bucket looks for objects without a row. A key is an upload's id, and the upload's row stays until the
-- walk has passed. The walk begins a week before the database was made, in case clocks differ: a late first run misses no
-- object, and the walk leaves out objects of an older database.
INSERT INTO progress (task, position)
  SELECT 'bucket_walk', printf('%08x-%04x-7000-8000-000000000000', ms / 65536, ms % 65536)
  FROM (SELECT (unixepoch() - 7 * 86400) * 1000 AS ms);

-- Owners for whom a step of a task has failed. The task leaves them out until `next_at`.
CREATE TABLE paused_owners (
  task TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  failures INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (task, owner_id)
) STRICT, WITHOUT ROWID;

-- A random value that is also the content of the object `.pairing` in the bucket. While the two differ, the job deletes no
-- object: the database is empty, is another one, or has been rolled back.
CREATE TABLE bucket_pairing (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  current TEXT, -- null until the bucket is paired
  next TEXT, -- the value that the bucket is about to be given, or null
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
