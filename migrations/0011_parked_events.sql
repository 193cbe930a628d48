-- Parked events by whom they name, for the erasure of a user. Only parked events are in these indexes.
CREATE INDEX outbox_parked_about ON outbox (coalesce(data ->> 'owner_id', data ->> 'user_id')) WHERE parked_at IS NOT NULL;
CREATE INDEX outbox_parked_for ON outbox (data ->> 'grantee_id') WHERE parked_at IS NOT NULL AND data ->> 'grantee_id' IS NOT NULL;
