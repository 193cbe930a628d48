/** What each of several databases knows of the buckets: bucket b is in database b % databases. Nothing of this with one. */
export function layOutOf(index: number, count: number): string[] {
  if (count === 1) return []
  const every = `WITH RECURSIVE every (bucket) AS (
      SELECT 0 UNION ALL SELECT bucket + 1 FROM every WHERE bucket < 4095
    )`
  if (index > 0)
    return [
      `INSERT OR IGNORE INTO buckets (bucket, state) ${every}
        SELECT printf('%03x', bucket), 'open' FROM every WHERE bucket % ${count} = ${index}`,
    ]
  return [
    `INSERT OR IGNORE INTO buckets (bucket, state, moved_to, has_rows) ${every}
      SELECT printf('%03x', bucket), 'gone', printf('DB_%d', bucket % ${count}), 0 FROM every WHERE bucket % ${count} <> 0`,
    // Nothing is from a time with one database.
    `INSERT OR IGNORE INTO progress (task, position) VALUES ('moves_prepared', '{"isDone":true}')`,
  ]
}
