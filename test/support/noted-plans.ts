import type { Note } from './plans.ts'

/** Statements of the service that read more rows than an index finds, each with the reason why this is acceptable. */
export const notes: readonly Note[] = [
  {
    statement: 'FROM announcements WHERE expires_at >',
    plan: 'SCAN announcements',
    reason:
      'All announcements that are in force: MAX_ANNOUNCEMENTS at most, read twice a minute by an isolate.',
  },
  {
    statement: 'DELETE FROM announcements WHERE expires_at <=',
    plan: 'SCAN announcements',
    reason: 'Of MAX_ANNOUNCEMENTS at most, when a service of the studio’s announces.',
  },
  {
    statement: '(SELECT count(*) FROM announcements) <',
    plan: 'SCAN announcements USING COVERING INDEX sqlite_autoindex_announcements_2',
    reason: 'MAX_ANNOUNCEMENTS at most, when a service of the studio’s announces.',
  },
  {
    statement: '(SELECT count(*) FROM recalls INDEXED BY recalls_in_force WHERE ended_at IS NULL) <',
    plan: 'SCAN recalls USING INDEX recalls_in_force',
    reason: 'MAX_RECALLS at most, which the index holds alone, when an operator recalls saves.',
  },
  {
    statement: 'FROM recalls INDEXED BY recalls_in_force WHERE ended_at IS NULL ORDER BY number',
    plan: 'SCAN recalls USING INDEX recalls_in_force',
    reason: 'MAX_RECALLS at most, which the index holds alone, read twice a minute by an isolate.',
  },
  ...[
    'INSERT INTO "recalls"',
    'UPDATE recalls SET ended_at',
    'SELECT max(changed) AS version FROM recalls',
  ].map((statement) => ({
    statement,
    plan: 'SEARCH recalls USING COVERING INDEX recalls_by_change',
    reason: 'The last entry of the index.',
  })),
  ...['UPDATE audit SET actor = (SELECT', 'UPDATE audit SET user_id = (SELECT'].map((statement) => ({
    statement,
    plan: 'SCAN note VIRTUAL TABLE INDEX 1:',
    reason:
      'The erasures of a page of a comparison, 50 at most: an operator’s command after going back in time.',
  })),
  {
    statement: 'SELECT object_key FROM files WHERE object_key IN',
    plan: 'SCAN files',
    reason:
      'Comparing objects with rows after going back in time: an operator’s command, once for a page of objects; an index would cost each upload a row.',
  },
  {
    statement: 'INDEXED BY game_assets_listed WHERE is_listed = 1 AND type = ?',
    plan: 'SEARCH game_assets USING INDEX game_assets_listed (type=?)',
    reason: 'A page in the order of the index, which holds what may be on it, up to its limit.',
  },
  {
    statement: 'INSERT INTO catalogue_entries',
    plan: 'SCAN json_each VIRTUAL TABLE INDEX 1:',
    reason: 'The tags of an asset, 16 at most.',
  },
  {
    statement: 'FROM (SELECT asset_id, mark FROM catalogue_marks ORDER BY asset_id DESC',
    plan: 'SCAN catalogue_marks',
    reason: 'The newest marks, up to the limit of a step of the job.',
  },
  {
    statement: 'SELECT count(*) AS entries FROM catalogue_entries',
    plan: 'SCAN catalogue_entries',
    reason: 'It counts all entries: an operator’s command.',
  },
  {
    statement: 'SELECT count(*) AS waiting FROM catalogue_marks',
    plan: 'SCAN catalogue_marks',
    reason: 'It counts all marks: an operator’s command.',
  },
  {
    statement: 'FROM blocks AS block INDEXED BY blocks_newest',
    plan: 'SEARCH block USING INDEX blocks_newest (kind=?)',
    reason: 'A page of one kind or a merge of the two, in the order of the index, up to its limit.',
  },
  {
    statement: 'SELECT id FROM cases WHERE applied < sequence',
    plan: 'SCAN cases USING INDEX cases_pending',
    reason: 'Only measures that are on their way to their things, up to the limit of a step of the job.',
  },
  ...[
    ['FROM reports INDEXED BY reports_by_time', 'GROUP BY'],
    ['FROM decisions INDEXED BY decisions_by_time', 'GROUP BY'],
    ['SELECT created_at - first_reported_at AS seconds', 'ORDER BY'],
  ].map(([statement = '', order = '']) => ({
    statement,
    plan: `USE TEMP B-TREE FOR ${order}`,
    reason:
      'The figures of at most 366 days: a moderator’s request, which reads a row of the index for each.',
  })),
  ...['cases_oldest', 'cases_by_reports'].map((index) => ({
    statement: `FROM cases AS found INDEXED BY ${index}`,
    plan: `SEARCH found USING INDEX ${index} (state=?)`,
    reason: 'A page in the order of the index, up to its limit.',
  })),
  {
    statement: 'FROM partitions INDEXED BY partitions_elsewhere',
    plan: 'SCAN partitions USING INDEX partitions_elsewhere',
    reason: 'There are 4,096 partitions at most, and no row of a single database is in the index.',
  },
  {
    statement: 'FROM walk ORDER BY level DESC LIMIT 1',
    plan: 'USE TEMP B-TREE FOR ORDER BY',
    reason: 'One path, of at most MAX_FOLDER_DEPTH rows.',
  },
  {
    statement: 'iif(blocked = 1, 1, iif( EXISTS (SELECT 1 FROM files AS any_file INDEXED BY files_blocked',
    plan: 'SCAN walk',
    reason: 'The path of the one row that is answered.',
  },
  {
    statement: 'AND trashed_at IS NULL AND created_at > ?',
    plan: 'USE TEMP B-TREE FOR ORDER BY',
    reason: 'What a user has made at the root since they were erased, until the job has removed the rest.',
  },
  {
    statement: 'WITH found AS MATERIALIZED (SELECT one.user_id AS user_id',
    plan: 'SCAN found',
    reason: 'The counters of at most 200 users, each looked at once.',
  },
  {
    statement: 'UPDATE outbox SET attempts = attempts + 1 - due.is_behind',
    plan: 'USE TEMP B-TREE FOR ORDER BY',
    reason: 'A round of at most 24 new events and 24 that come again, half of which are taken.',
  },
  {
    statement: 'WITH found AS MATERIALIZED (SELECT owner_id, count(*) AS events FROM outbox',
    plan: 'SCAN outbox',
    reason: 'Counts every event, MAX_EVENTS at most, when an operator compares what there is.',
  },
  {
    statement: 'WITH found AS MATERIALIZED (SELECT owner_id, count(*) AS events FROM outbox',
    plan: 'USE TEMP B-TREE FOR GROUP BY',
    reason: 'Counts every event, MAX_EVENTS at most, when an operator compares what there is.',
  },
  {
    statement: 'WITH found AS MATERIALIZED (SELECT owner_id, count(*) AS events FROM outbox',
    plan: 'SCAN outbox_counts',
    reason: 'Counts every event, MAX_EVENTS at most, when an operator compares what there is.',
  },
  {
    statement:
      'INSERT INTO outbox_counts (owner_id, events) SELECT owner_id, events FROM (SELECT owner_id, count(*)',
    plan: 'SCAN outbox',
    reason: 'Counts every event, MAX_EVENTS at most, when an operator compares what there is.',
  },
  {
    statement:
      'INSERT INTO outbox_counts (owner_id, events) SELECT owner_id, events FROM (SELECT owner_id, count(*)',
    plan: 'USE TEMP B-TREE FOR GROUP BY',
    reason: 'Counts every event, MAX_EVENTS at most, when an operator compares what there is.',
  },
  {
    statement: "DELETE FROM outbox_counts WHERE owner_id <> ''",
    plan: 'SCAN outbox_counts',
    reason: 'As the comparison: the owners of many events, which are counted anew.',
  },
  {
    statement: 'FROM outbox INDEXED BY outbox_by_turn WHERE parked_at IS NULL',
    plan: 'SCAN outbox USING INDEX outbox_by_turn',
    reason: 'The index holds the events that wait; they are taken from one end, up to a limit.',
  },
  {
    statement: 'FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL',
    plan: 'SEARCH outbox USING INDEX outbox_parked (parked_at>?)',
    reason: 'The index holds the parked events; a list takes the oldest, up to its limit.',
  },
  {
    statement: 'FROM outbox INDEXED BY outbox_parked WHERE parked_at IS NOT NULL',
    plan: 'SEARCH outbox USING COVERING INDEX outbox_parked (parked_at>?)',
    reason: 'They are counted up to a limit.',
  },
  {
    statement: 'FROM outbox AS parked INDEXED BY outbox_parked',
    plan: 'SEARCH parked USING COVERING INDEX outbox_parked (parked_at>?)',
    reason: 'A step of an operator takes the oldest parked events, up to its limit.',
  },
]

/** Such statements that only tests with several databases send. */
export const notesOfSeveral: readonly Note[] = [
  {
    statement: 'FROM partitions INDEXED BY partitions_moving',
    plan: 'SCAN partitions USING INDEX partitions_moving',
    reason: 'The index holds the partitions that are being moved and nothing else.',
  },
  {
    statement: 'SELECT partition, count(*) AS size FROM ( SELECT wanted.value AS partition FROM json_each',
    plan: 'USE TEMP B-TREE FOR GROUP BY',
    reason: 'The hints of one portion of a move, and one more: the subquery has a limit.',
  },
]

/** Such statements of the mover (src/operators/shards/mover), which reads and removes all rows of some users. */
export const moverNotes: readonly Note[] = [
  {
    statement: 'AS row FROM catalogue_marks AS t WHERE substr(t.asset_id, 21, 3) IN',
    plan: 'SEARCH t USING PRIMARY KEY (asset_id>?)',
    reason:
      'The mover: of the assets whose entry is to be written, those of the last seconds and of the time that the catalogue was out; an index would cost each a row.',
  },
  {
    statement: 'DELETE FROM catalogue_marks WHERE (asset_id) IN (SELECT t.asset_id FROM catalogue_marks AS t',
    plan: 'SCAN t',
    reason: 'As when they are copied.',
  },
  {
    statement: 'SELECT key, row, found FROM (',
    plan: 'USE TEMP B-TREE FOR ORDER BY',
    reason: 'A page of one group of users, which has about 1,000 rows, by its key.',
  },
  {
    statement: 'FROM garbage AS t WHERE',
    plan: 'SEARCH t USING PRIMARY KEY (object_key>?)',
    reason:
      'All that is queued: an index over its partition would cost each upload that replaces another two rows more.',
  },
  {
    statement: 'DELETE FROM garbage WHERE (object_key) IN (SELECT t.object_key FROM garbage AS t WHERE',
    plan: 'SCAN t USING COVERING INDEX garbage_by_turn',
    reason: 'As when it is copied.',
  },
  {
    statement: 'FROM outbox AS t WHERE',
    plan: 'SEARCH t USING PRIMARY KEY (id>?)',
    reason: 'Events that are not delivered yet: few, and an index would cost each event a row.',
  },
  { statement: 'DELETE FROM outbox WHERE (id) IN', plan: 'SCAN t', reason: 'As when it is copied.' },
  {
    statement: 'FROM shares_to_notify AS t WHERE substr(t.share_id, 21, 3) IN',
    plan: 'SCAN t',
    reason:
      'Shares of the last seconds, and those whose requests died: few, and an index over the partition would cost each a row.',
  },
  {
    statement: 'FROM erasures AS t WHERE true',
    plan: 'SEARCH t USING PRIMARY KEY (user_id>?)',
    reason: 'Every erasure goes along, as that of a guest: there are as many as are not done yet.',
  },
  {
    statement: 'SELECT partition, state FROM partitions',
    plan: 'SCAN partitions',
    reason: 'There are 4,096 at most.',
  },
  { statement: 'UPDATE partitions SET', plan: 'SCAN partitions', reason: 'There are 4,096 at most.' },
  {
    statement:
      'AS size FROM usage WHERE partition IN (SELECT partition FROM partitions INDEXED BY partitions_moving',
    plan: 'USE TEMP B-TREE FOR ORDER BY',
    reason: 'The users of a portion.',
  },
  {
    statement: 'SELECT user_id, size FROM moving_users WHERE user_id > ? ORDER BY user_id LIMIT ?',
    plan: 'USE TEMP B-TREE FOR ORDER BY',
    reason: 'The users of a group, at most 500.',
  },
  {
    statement: 'FROM moving_users CROSS JOIN usage',
    plan: 'SCAN moving_users',
    reason: 'It holds the users of a portion and nobody else.',
  },
  {
    statement: 'FROM usage GROUP BY partition',
    plan: 'SCAN usage USING INDEX usage_by_partition',
    reason: 'What an operator is shown counts every user, once a command.',
  },
]

/** Such statements of an inbox, whose object has the rows of one user only. */
export const inboxNotes: readonly Note[] = [
  {
    statement: 'DELETE FROM mutes WHERE user_id NOT IN',
    plan: 'SCAN mutes',
    reason: 'An inbox’s copy, of MAX_MUTES rows at most, when its user mutes or unmutes somebody.',
  },
  {
    statement: 'SELECT user_id FROM mutes ORDER BY user_id',
    plan: 'SCAN mutes',
    reason: 'An inbox’s copy, of MAX_MUTES rows at most: an operator compares it with the database.',
  },
  {
    statement: 'SELECT expires_at FROM notifications INDEXED BY notifications_expiring',
    plan: 'SEARCH notifications USING INDEX notifications_expiring (expires_at>?)',
    reason: 'The first of the index.',
  },
  {
    statement: 'SELECT expires_at FROM notifications INDEXED BY notifications_announced',
    plan: 'SCAN notifications USING INDEX notifications_announced',
    reason: 'The first of the index.',
  },
  {
    statement: 'SELECT seq, announcement FROM notifications INDEXED BY notifications_announced',
    plan: 'SCAN notifications USING INDEX notifications_announced',
    reason:
      'Those that are announcements, a few, when an inbox that has taken in some is told of a new version.',
  },
  {
    statement: 'FROM revisions',
    plan: 'SCAN revisions',
    reason:
      'The revisions of all slots without their bytes, once an instance; the settings bound their number.',
  },
  { statement: 'counters', plan: 'SCAN counters', reason: 'A table of one row.' },
  {
    statement: 'SELECT seq, created_at FROM notifications ORDER BY seq LIMIT ?',
    plan: 'SCAN notifications',
    reason: 'In the order of its key, as far as they are removed.',
  },
  {
    statement: 'DELETE FROM idempotency WHERE expires_at <= ?',
    plan: 'SCAN idempotency',
    reason:
      'An alarm, once an hour: the keys of a day. An index would cost each publication a row, and a row written costs as much as a thousand that are read.',
  },
  {
    statement: 'SELECT min(expires_at) AS next FROM idempotency',
    plan: 'SEARCH idempotency USING PRIMARY KEY',
    reason: 'As the statement that deletes them.',
  },
  {
    statement: 'DELETE FROM notifications WHERE 1 RETURNING seq',
    plan: 'SCAN notifications',
    reason: 'Deleting all removes all that it reads.',
  },
  {
    statement: "DELETE FROM notifications WHERE state = 'read' RETURNING seq",
    plan: 'SCAN notifications',
    reason:
      'Deleting those that were read: MAX_NOTIFICATIONS at most, when a user tidies up. An index would cost each publication a row, and each one that is read.',
  },
  {
    statement: 'DELETE FROM notifications RETURNING seq',
    plan: 'SCAN notifications',
    reason: 'Erasing a user removes all that it reads.',
  },
  {
    statement: 'DELETE FROM events RETURNING seq',
    plan: 'SCAN events',
    reason: 'Erasing a user; there are at most 1,001.',
  },
  {
    statement: 'DELETE FROM idempotency RETURNING key',
    plan: 'SCAN idempotency',
    reason: 'Erasing a user removes all that it reads.',
  },
  {
    statement: 'SELECT event FROM outbox ORDER BY id LIMIT ?',
    plan: 'SCAN outbox',
    reason: 'The first by its key, up to what the queue takes at once.',
  },
]
