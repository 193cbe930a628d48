import type { StorageContext } from '../../platform/context.ts'
import { pooled } from '../../platform/lib/pool.ts'
import { askStorage } from '../../platform/storage/ask.ts'

/** How many `list` and `head` calls to R2 one page makes at most. */
const [MAX_LISTS, MAX_HEADS] = [10, 120]

/** With fewer keys in a list, a `head` for each key is cheaper. */
const MIN_KEYS_PER_LIST = 5

/** Which of some keys have no object in R2. */
export interface Presence {
  missing: Set<string>
  /** Keys that were not looked up, because the calls did not suffice. */
  unknown: Set<string>
}

/**
 * Finds out which of these objects exist. Keys sort by time, as the rows of a page do, so one list covers many of them. Keys
 * that are far apart are looked up one by one, in the given order.
 *
 * @throws UNAVAILABLE
 */
export async function presenceOf(
  { bucket, config }: StorageContext,
  keys: readonly string[],
): Promise<Presence> {
  const missing = new Set<string>()
  let rest = [...new Set(keys)].sort()
  for (let lists = 0; lists < MAX_LISTS && rest.length > 0; lists++) {
    // The key without its last digit sorts right before it.
    const startAfter = rest[0]?.slice(0, -1) ?? ''
    const listed = await askStorage(config, bucket.list({ startAfter }))
    const found = new Set(listed.objects.map(({ key }) => key))
    const last = listed.objects.at(-1)?.key
    const isCovered = (key: string) => !listed.truncated || (last !== undefined && key <= last)
    const covered = rest.filter(isCovered)
    for (const key of covered) if (!found.has(key)) missing.add(key)
    rest = rest.filter((key) => !isCovered(key))
    if (covered.length < MIN_KEYS_PER_LIST) break
  }
  const left = new Set(rest)
  const asked = [...new Set(keys)].filter((key) => left.has(key)).slice(0, MAX_HEADS)
  await pooled(asked, async (key) => {
    if ((await askStorage(config, bucket.head(key))) === null) missing.add(key)
    left.delete(key)
  })
  return { missing, unknown: left }
}

/** The rows before the first one whose object was not looked up: the page ends there. */
export function rowsAnswered<Row extends { object_key: string | null }>(
  rows: readonly Row[],
  { unknown }: Presence,
): Row[] {
  const first = rows.findIndex(({ object_key }) => object_key !== null && unknown.has(object_key))
  return first < 0 ? [...rows] : rows.slice(0, first)
}
