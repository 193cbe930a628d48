-- A cheaper fence for the writes of one partition: one look-up, one value, and none of its own where a batch begins with the
-- user's counters. `fence` of 0004_partitions.sql stays for the job, for the mover, and for Workers of the version before.

-- `otherwise`: what a partition without a row counts as; nothing in the first database, 'gone' in others.
CREATE VIEW partition_fence (partition, otherwise) AS SELECT partition, state FROM partitions;

CREATE TRIGGER partition_fence_instead_of_insert_refuse INSTEAD OF INSERT ON partition_fence
WHEN coalesce((SELECT state FROM partitions WHERE partition = NEW.partition), NEW.otherwise, 'open') <> 'open'
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- An upsert runs this trigger too, whether the row is there or not. The mover inserts rows with `moving`.
CREATE TRIGGER usage_before_insert_fence BEFORE INSERT ON usage
WHEN NEW.moving = 0 AND (SELECT state FROM partitions WHERE partition = NEW.partition) <> 'open'
BEGIN SELECT RAISE(ABORT, 'refused:MOVED'); END;

-- A Worker that has one database only shares and branches without hints and markers, in a batch that begins with an INSERT
-- into this view. While any partition is in another database, it is refused. Otherwise all is here, and what has been prepared
-- for moves has to be prepared anew before the next one.
CREATE VIEW unhinted (one) AS SELECT 1;

CREATE TRIGGER unhinted_instead_of_insert_note INSTEAD OF INSERT ON unhinted BEGIN
  SELECT RAISE(ABORT, 'refused:FROZEN')
    WHERE EXISTS (SELECT 1 FROM partitions INDEXED BY partitions_elsewhere WHERE state <> 'open');
  DELETE FROM progress WHERE task = 'moves_prepared';
END;
