-- For a page of the blocks of one owner: the blocks of the owner's partition, of which a page reads no more than its limit.
CREATE INDEX blocks_in_partition ON blocks (kind, substr(id, 21, 3), blocked_at, id);
