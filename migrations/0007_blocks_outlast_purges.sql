-- What had been deleted by itself in a folder, and stays when the folder is deleted for good: a block goes along to it.
CREATE INDEX files_trashed_inside ON files (parent_id) WHERE trashed_at IS NOT NULL AND purging = 0;
