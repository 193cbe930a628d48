-- A batch that writes a hint beside what it is for needs the other partition in the same database.
-- `otherwise`: what a partition without a row counts as; nothing in the first database, 'gone' in others.
CREATE VIEW linked_partition_fence (partition, otherwise) AS SELECT partition, state FROM partitions;

CREATE TRIGGER linked_partition_fence_instead_of_insert_refuse INSTEAD OF INSERT ON linked_partition_fence
WHEN coalesce((SELECT state FROM partitions WHERE partition = NEW.partition), NEW.otherwise, 'open') <> 'open'
BEGIN
  SELECT RAISE(ABORT, 'refused:FROZEN') FROM partitions WHERE partition = NEW.partition AND state = 'frozen';
  SELECT RAISE(ABORT, 'refused:LINKED_MOVED');
END;

DROP TRIGGER unhinted_instead_of_insert_note;
DROP VIEW unhinted;
