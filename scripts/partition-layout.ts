/**
 * What each of several databases knows of the partitions: partition p is in database p % databases. Nothing of this
 * with one.
 */
export function layOutOf(index: number, count: number): string[] {
  if (count === 1) return []
  const every = `WITH RECURSIVE every (partition) AS (
      SELECT 0 UNION ALL SELECT partition + 1 FROM every WHERE partition < 4095
    )`
  if (index > 0)
    return [
      `INSERT OR IGNORE INTO partitions (partition, state) ${every}
        SELECT printf('%03x', partition), 'open' FROM every WHERE partition % ${count} = ${index}`,
    ]
  return [
    `INSERT OR IGNORE INTO partitions (partition, state, moved_to, has_rows) ${every}
      SELECT printf('%03x', partition), 'gone', printf('DB_%d', partition % ${count}), 0 FROM every WHERE partition % ${count} <> 0`,
  ]
}
