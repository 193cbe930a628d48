import { type Dataset, get, type Operation } from './growth-operation.ts'
import { insertEntries, insertNumbered } from './planting.ts'

const NAMES = `CASE WHEN i % 1000 = 1 THEN 'quartz' WHEN i % 10 = 0 THEN 'castle' ELSE 'forest' END`

/** Entries of the catalogue: half have the tag "even" and half "odd", all have "all", a tenth has "tenth", and an owner has 100. */
const INSERT = insertEntries(`SELECT printf('entry %010d', i) AS id, 'owner ' || (i / 100) AS owner_id,
    CASE i % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'avatar' ELSE 'prop' END AS type, printf('%s %07d', ${NAMES}, i) AS name,
    json_array('all', iif(i % 2 = 0, 'even', 'odd'), iif(i % 10 = 0, 'tenth', 'others')) AS tags,
    1700000000 + i / 3 AS published_at, 1700000000 + (i * 7919) % 1000003 AS updated_at,
    iif(i % 10 = 0, i % 1000, 0) AS favorites FROM n`)

/** The position in the order of publication before which the entries up to `number` are. */
const positionOf = (number: number) =>
  (BigInt(1_700_000_000 - 1_577_836_800 + Math.floor(number / 3)) << 32n).toString()

/** The catalogue. One database has it, however many there are. */
export const catalogue: Dataset = {
  name: 'catalogue',
  isOfDatabases: false,
  prepare: async () => {},
  seed: ({ databases: [database] }, range) =>
    database ? insertNumbered(database, range, INSERT) : Promise.resolve(),
  operations(_, size) {
    const list = (title: string, query: string): Operation => ({
      group: 'public',
      title,
      ask: () => get(`/v1/game/public?limit=50${query}`),
    })
    const sorted = (title: string, query: string) => [
      list(title, query),
      list(`${title}, last updated first`, `${query}&sort=updated`),
      list(`${title}, by favorites`, `${query}&sort=popular`),
    ]
    return [
      ...sorted('all', ''),
      { ...list('all, from the middle on', ''), cursor: [positionOf(size / 2), ''] },
      ...sorted('a type', '&type=world'),
      ...sorted('a tag: half have it', '&tag=even'),
      ...sorted('two tags: a tenth has both', '&tag=even&tag=tenth'),
      ...sorted('without a tag', '&exclude_tag=even'),
      ...sorted('an owner', '&owner_id=owner%203'),
      ...sorted('two tags of halves: nobody has both', '&tag=even&tag=odd'),
      ...sorted('without a tag that all have', '&tag=even&exclude_tag=all'),
      list('search "castle": one in ten', '&q=castle'),
      list('search "quartz": one in 1,000', '&q=quartz'),
      list('search "quartz" with two tags', '&q=quartz&tag=odd&tag=others'),
      list('search "fo": nine in ten begin so', '&q=fo'),
      list('search "fo" with a tag', '&q=fo&tag=odd'),
    ]
  },
}
