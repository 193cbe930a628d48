import { env } from 'cloudflare:workers'
import { moveStep, undoStep } from '../../src/operators/shards/mover/move.ts'
import type { PartitionRange } from '../../src/operators/shards/mover/plan.ts'
import { newId, partitionIn, partitionOf } from '../../src/platform/db/id.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { databasesOf, FIRST } from '../../src/platform/shards/map.ts'
import { homeOf, isMoving } from './databases.ts'

const bound = databasesOf(env)

type Statement = [text: string, ...values: (string | number | null)[]]
type Row = Record<string, unknown>

/** How many rows a user has: `size` of every kind; a light user has about 20 rows. */
interface Size {
  size: number
  isLight: boolean
}

/** A user with `size` rows of every kind that the mover copies. */
function belongings(user_id: string, others: readonly string[], { size, isLight }: Size): Statement[] {
  const fresh = () => newId(user_id)
  const other = (index: number) => others[index % others.length] ?? 'somebody'
  const statements: Statement[] = [
    [
      `INSERT INTO usage (user_id, partition, limit_bytes, default_limit_bytes, max_items, max_assets, max_public_assets,
        max_versions, max_open_uploads, max_ended_uploads, max_idempotency_keys) VALUES (?, ?, 5e12, ?4, ?3, ?3, ?3, ?3, ?3, ?3, ?3)`,
      ...[user_id, partitionOf(user_id), 1e6, 1e12],
    ],
  ]
  for (let index = 0; index < size; index++)
    statements.push(
      ...treeOf(user_id, fresh, other(index), index),
      ...assetsOf(user_id, fresh, other(index), index, isLight),
    )
  statements.push(
    [`INSERT INTO idempotency VALUES (?, 'key', 'hash', ?, 1800000000)`, user_id, fresh()],
    [
      'INSERT INTO share_hints VALUES (?, ?, ?, 1700000000, -1)',
      partitionOf(user_id),
      user_id,
      partitionOf(other(0)),
    ],
    ['INSERT INTO shares_to_notify (due_at, share_id) VALUES (1700000060, ?)', fresh()],
    ['INSERT INTO trash_emptied (owner_id, emptied_at) VALUES (?, 1700000000000)', user_id],
    ['INSERT INTO profiles (user_id, picture_id, updated_at) VALUES (?, ?, 1700000000)', user_id, fresh()],
    ...[3, 1, 2].map(
      (seq): Statement => [
        `INSERT INTO outbox (id, type, resource_id, seq, data, created_at, attempts, next_at, parked_at, last_error)
         VALUES (?, 'user.erased', ?, ?, json_object('user_id', ?2), 1700000000, 2, 1700000005, ?, 'HTTP 500')`,
        ...[fresh(), user_id, seq, seq === 1 ? 1700000000 : null],
      ],
    ),
  )
  return statements
}

function treeOf(user_id: string, fresh: () => string, other: string, index: number): Statement[] {
  const [folder, file, blocked, trashed, purging, upload, ended] = Array.from({ length: 7 }, fresh)
  const share = (id: string, expired: number): Statement => [
    'INSERT INTO shares VALUES (?, ?, ?, ?, ?, ?, ?, 1700000000)',
    ...[fresh(), id, user_id, expired ? `${other} once` : other, 'view', expired ? 1 : null, expired],
  ]
  const item = (id: string, name: string, content: (string | number | null)[], more = ''): Statement => [
    `INSERT INTO files (id, owner_id, parent_id, name, asset_type, size_bytes, mime_type, processing_state, object_key,
      created_at, updated_at${
        more &&
        `, ${more
          .split(' = ')
          .join(', ')
          .split(', ')
          .filter((_, place) => place % 2 === 0)
          .join(', ')}`
      })
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1700000000, 1700000001${
       more &&
       `, ${more
         .split(', ')
         .map((part) => part.split(' = ')[1])
         .join(', ')}`
     })`,
    ...[id, user_id, id === folder ? null : (folder ?? null), name, ...content],
  ]
  const ready = (key: string) => ['file', 3, 'text/plain', 'ready', key]
  if (!folder || !file || !blocked || !trashed || !purging || !upload || !ended) return []
  return [
    item(folder, `Ordner ${index} – 日本語`, ['folder', 0, null, null, null]),
    item(file, `a "file" \\ ${index}`, ready(ended)),
    item(blocked, `blocked ${index}`, ['emote', 0, 'image/png', 'pending', null]),
    ['UPDATE files SET blocked = 1 WHERE id = ?', blocked],
    [`UPDATE blocks SET blocked_by = 'mod', reason = 'why' WHERE id = ?`, blocked],
    [
      'INSERT INTO measures (kind, id, sequence, decision_id, action) VALUES (?, ?, 1, ?, ?)',
      'files',
      file,
      fresh(),
      'block',
    ],
    item(trashed, `trashed ${index}`, ready(fresh()), 'trashed_at = 1700000000000, blocked = 0'),
    item(purging, `purging ${index}`, ready(fresh()), 'trashed_at = 1700000000000, purging = 1'),
    [
      `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, multipart_id, part_size, parts, file_id,
        created_at, expires_at, url_ttl) VALUES (?, ?, 'file', 7, 'image/png', 'multi', 5, '{"1":"etag"}', ?, 1, 1900000000, 60)`,
      ...[upload, user_id, blocked],
    ],
    [
      `INSERT INTO uploads (id, owner_id, upload_type, size_bytes, mime_type, file_id, created_at, expires_at, url_ttl)
       VALUES (?, ?, 'file', 3, 'text/plain', ?, 1, 1900000000, 60)`,
      ...[ended, user_id, file],
    ],
    [
      `UPDATE uploads SET state = 'failed', failure = 'why', failure_code = 'UPLOAD_MISMATCH' WHERE id = ?`,
      ended,
    ],
    [
      `INSERT INTO garbage (object_key, multipart_id, writable_until, enqueued_at)
       SELECT id, multipart_id, expires_at, unixepoch() FROM uploads WHERE id = ?`,
      ended,
    ],
    share(file, 0),
    share(file, 1),
  ]
}

function assetsOf(
  user_id: string,
  fresh: () => string,
  other: string,
  index: number,
  isLight: boolean,
): Statement[] {
  const foreign = newId(other)
  const asset = (name: string, visibility: string, versions: string[], ...then: string[]): Statement[] => {
    const id = fresh()
    return [
      [
        `INSERT INTO game_assets (id, owner_id, type, name, search_name, visibility, branched_from_asset_id, created_at, updated_at)
         VALUES (?, ?, 'world', ?, ?, ?, ?, 1700000000, 1700000000)`,
        ...[id, user_id, `${name} ${index}`, `${name} ${index}`, visibility, newId(other)],
      ],
      ...versions.map(
        (key, place): Statement => [
          `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, branched_from_asset_id,
           branched_from_version, created_at, notes, checksum_sha256, platform)
         VALUES (?, ?, ?, 5, 'text/plain', ?, ?, ?, 1700000002, 'notes', 'checksum', 'windows')`,
          ...[id, place + 1, fresh(), key, key === foreign ? newId(other) : null, key === foreign ? 1 : null],
        ],
      ),
      ...(name === 'castle' || name === 'forest'
        ? [
            [
              `INSERT INTO asset_variants (asset_id, version, platform, size_bytes, mime_type, object_key, checksum_sha256, created_at)
               VALUES (?, 1, 'android', 5, 'text/plain', ?, 'checksum', 1700000002)`,
              ...[id, name === 'forest' ? newId(other) : fresh()],
            ] satisfies Statement,
            [
              `UPDATE asset_versions SET deleted_platforms = '["ios"]' WHERE asset_id = ? AND version = 1`,
              id,
            ] satisfies Statement,
          ]
        : []),
      ...then.map((change): Statement => [`UPDATE game_assets SET ${change} WHERE id = ?`, id]),
      [
        'INSERT INTO branch_hints (source_id, partition, hinted_at) VALUES (?, ?, 1700000000)',
        id,
        partitionOf(other),
      ],
    ]
  }
  const own = fresh()
  const castle = asset('castle', 'public', [own, own, fresh()])
  const ruin = asset('ruin', 'private', [fresh(), own, fresh(), own])
  if (isLight) return castle
  return [
    ...castle,
    ...ruin,
    ...[
      ['live', 2, null],
      ['beta', 1, `key of ${index}`],
    ].map(
      ([channel = null, version = null, key = null]): Statement => [
        `INSERT INTO asset_channels (asset_id, channel, version, key, updated_at)
         SELECT id, ?, ?, ?, 1700000003 FROM game_assets WHERE owner_id = ? AND name = ?`,
        ...[channel, version, key, user_id, `castle ${index}`],
      ],
    ),
    // Its first version and its third were deleted alone: no content of theirs is left.
    ...[1, 3].map(
      (version): Statement => [
        'DELETE FROM asset_versions WHERE version = ? AND asset_id IN (SELECT id FROM game_assets WHERE owner_id = ? AND name = ?)',
        ...[version, user_id, `ruin ${index}`],
      ],
    ),
    ...asset('forest', 'private', [foreign]),
    ...asset('quartz', 'public', [fresh()], 'blocked = 1'),
    // A trigger applies each measure to its asset; copying them changes nothing.
    ...[
      ['ruin', 'rate', 'teen'],
      ['forest', 'unlist', null],
      ['quartz', 'block', null],
    ].map(
      ([name = '', action = '', rating = null]): Statement => [
        `INSERT INTO measures (kind, id, sequence, decision_id, action, rating)
         SELECT 'assets', id, 2, ?, ?, ? FROM game_assets WHERE owner_id = ? AND name = ?`,
        ...[fresh(), action, rating, user_id, `${name} ${index}`],
      ],
    ),
    // Its owner has rated it higher since, which a copy keeps.
    ["UPDATE game_assets SET rating = 'mature' WHERE owner_id = ? AND name = ?", user_id, `ruin ${index}`],
    ...asset('zephyr', 'public', [fresh()], 'deleted_at = 1700000000000'),
    ...asset('gone', 'private', [fresh()], 'purging = 1, deleted_at = 1700000000000'),
    ['INSERT INTO garbage (object_key, writable_until, is_version) VALUES (?, 0, 1)', fresh()],
    [
      'INSERT INTO garbage (object_key, writable_until, enqueued_at) VALUES (?, 0, 5)',
      `refs/${foreign}/${fresh()}`,
    ],
  ]
}

/** Inserts users with all their rows into their databases. */
export async function settle(users: readonly string[], { size = 2, isLight = false } = {}): Promise<void> {
  const byHome = Map.groupBy(users, homeOf)
  for (const [database, some] of byHome)
    for (let first = 0; first < some.length; first += AT_ONCE)
      await database.batch(
        some
          .slice(first, first + AT_ONCE)
          .flatMap((user, place) =>
            belongings(user, [users[place + 1] ?? 'somebody', 'nobody'], { size, isLight }),
          )
          .map(([text, ...values]) => database.prepare(text).bind(...values)),
      )
}

/** How many users are put into a database in one batch. */
const AT_ONCE = 20

/** Ids of users, all of the given partitions. */
export function usersOf(partitions: readonly string[], count: number, name = crypto.randomUUID()): string[] {
  const users: string[] = []
  for (let number = 0; users.length < count; number++) {
    const user = `player-${name}-${number}`
    if (partitions.includes(partitionOf(user))) users.push(user)
  }
  return users
}

/** Of each table with users' rows: the column that says whose a row is, and the partition that a value of it names. */
const owners: Record<string, [column: string, partition: (value: string) => string]> = {
  usage: ['user_id', partitionOf],
  files: ['id', partitionIn],
  uploads: ['id', partitionIn],
  shares: ['id', partitionIn],
  game_assets: ['id', partitionIn],
  asset_versions: ['asset_id', partitionIn],
  asset_channels: ['asset_id', partitionIn],
  asset_variants: ['asset_id', partitionIn],
  blocks: ['id', partitionIn],
  measures: ['id', partitionIn],
  garbage: ['object_key', (key) => partitionIn(key.replace(/^refs\/[^/]*\//, ''))],
  idempotency: ['caller_id', partitionOf],
  trash_emptied: ['owner_id', partitionOf],
  profiles: ['user_id', partitionOf],
  favorites: ['user_id', partitionOf],
  mutes: ['user_id', partitionOf],
  mute_lists: ['user_id', partitionOf],
  share_hints: ['grantee_partition', (partition) => partition],
  branch_hints: ['source_id', partitionIn],
  shares_to_notify: ['share_id', partitionIn],
  outbox: ['id', partitionIn],
}

/** A text of 53 bits in place of a long one (cyrb53), for rows by the hundred thousand. */
export function digested(text: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    one = Math.imul(one ^ text.charCodeAt(index), 2_654_435_761)
    two = Math.imul(two ^ text.charCodeAt(index), 1_597_334_677)
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909)
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909)
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(36)
}

/**
 * All rows of users in all databases, each as its table and its text, shortened by `shorten`; and the rows in a database in
 * which their partition is not open.
 */
export async function everything(
  shorten = (text: string) => text,
): Promise<{ rows: string[]; strays: string[] }> {
  const open = await openIn()
  const rows: string[] = []
  const strays: string[] = []
  const tables = Object.entries(owners)
  await Promise.all(
    Object.entries(bound).map(async ([name, database]) => {
      const page = (table: string, offset: number) =>
        database.prepare(`SELECT * FROM ${table} LIMIT ${PAGE} OFFSET ?`).bind(offset)
      for (let offset = 0, left = tables; left.length > 0; offset += PAGE) {
        const pages = await database.batch<Row>(left.map(([table]) => page(table, offset)))
        for (const [index, [table, [column, partition]]] of left.entries())
          for (const row of pages[index]?.results ?? []) {
            const text = `${table} ${JSON.stringify(row)}`
            rows.push(`${table} ${shorten(text)}`)
            if (open.get(partition(String(row[column]))) !== name) strays.push(`${name}: ${text}`)
          }
        left = left.filter((_, index) => pages[index]?.results.length === PAGE)
      }
    }),
  )
  return { rows: rows.sort(), strays: strays.sort() }
}

/** The rows in a database in which their partition is not open, each as its database, its table and whose it is. */
export async function strays(): Promise<string[]> {
  const open = await openIn()
  const tables = Object.entries(owners)
  const found = Object.entries(bound).map(async ([name, database]) => {
    const answers = await database.batch<{ whose: string }>(
      tables.map(([table, [column]]) => database.prepare(`SELECT DISTINCT ${column} AS whose FROM ${table}`)),
    )
    return tables.flatMap(([table, [, partition]], index) =>
      (answers[index]?.results ?? [])
        .filter(({ whose }) => open.get(partition(whose)) !== name)
        .map(({ whose }) => `${name}: ${table} ${whose}`),
    )
  })
  return (await Promise.all(found)).flat().sort()
}

/** How many rows are read at once. */
const PAGE = 20_000

/** The partitions that are open in several databases, or frozen in one and open in another, which must never happen. */
export async function openTwice(): Promise<string[]> {
  const found: string[] = []
  for (const [name, database] of Object.entries(bound)) {
    const { results } = await database
      .prepare(`SELECT partition FROM partitions WHERE state IN ('open', 'frozen')`)
      .all<{ partition: string }>()
    found.push(...results.map(({ partition }) => partition))
    if (name === FIRST) continue
    const known = await env.DB.prepare(
      'SELECT value AS partition FROM json_each(?) WHERE value NOT IN (SELECT partition FROM partitions)',
    )
      .bind(JSON.stringify(results.map(({ partition }) => partition)))
      .all<{ partition: string }>()
    found.push(...known.results.map(({ partition }) => partition))
  }
  return found.filter((partition, index) => found.indexOf(partition) !== index)
}

/** The database in which each moved partition is open. The other partitions are in the first database. */
async function openIn(): Promise<{ get: (partition: string) => string }> {
  const found = new Map<string, string[]>()
  let first = new Set<string>()
  for (const [name, database] of Object.entries(bound)) {
    // As one text: there are thousands.
    const all = await database
      .prepare(`SELECT group_concat(partition || ' ' || state) AS states FROM partitions`)
      .first<string>('states')
    const states = (all ?? '').split(',').map((text) => text.split(' '))
    if (name === FIRST) first = new Set(states.map(([partition = '']) => partition))
    for (const [partition = '', state] of states)
      if (state === 'open' || state === 'frozen')
        found.set(partition, [...(found.get(partition) ?? []), name])
  }
  return {
    get: (partition) => found.get(partition)?.join(' and ') ?? (first.has(partition) ? 'nowhere' : FIRST),
  }
}

/** How a call to a database fails: before it arrives, or after it took effect. */
type Death = { call: number; when: 'before' | 'after' }

/** The context of a mover. With `death`, the call of this number and all later ones fail, as when the mover is killed. */
export function mover(
  death?: Death,
  over = bound,
): { databases: Databases; now_ms: number; calls: () => number } {
  let calls = 0
  const deadly = async <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
    calls++
    if (!death || calls < death.call) return act()
    if (calls === death.call && death.when === 'after') await act()
    throw new Error('killed')
  }
  const watched = (binding: D1Database): D1Database =>
    replaced(binding, 'withSession', (bookmark?: string) => {
      const session = binding.withSession(bookmark)
      return replaced(session, 'batch', (statements: D1PreparedStatement[]) =>
        deadly(() => session.batch(statements)),
      )
    })
  const bindings = Object.fromEntries(Object.entries(over).map(([name, binding]) => [name, watched(binding)]))
  const databases = new Databases({ DB: env.DB, ...bindings }, { timeout_ms: 30_000 })
  return { databases, now_ms: Date.now(), calls: () => calls }
}

function replaced<Binding extends object>(binding: Binding, method: string, by: unknown): Binding {
  return new Proxy(binding, {
    get(target, name) {
      if (name === method) return by
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

const MOST_REQUESTS = 100

/** Whether another mover has frozen the partitions meanwhile. The command repeats a request after such a 503. */
function orAgain(error: unknown): undefined {
  if (!(error instanceof ApiError) || !String(error.cause).includes('refused:FROZEN')) throw error
}

/** Moves a range to its end, as the command does. Returns how the portions were opened. */
export async function moveAll(range: PartitionRange, target: string, ctx = mover): Promise<number[]> {
  const frozen: number[] = []
  for (let requests = 1; ; requests++) {
    const progress = await moveStep(ctx(), range, target).catch(orAgain)
    if (requests > MOST_REQUESTS) throw new Error(`no end: ${JSON.stringify(progress)}`)
    if (progress === undefined) continue
    frozen.push(...progress.opened.map(({ ms }) => ms))
    if (progress.state === 'moved') return frozen
    if (progress.state === 'undone') throw new Error(`taken back: ${progress.reason}`)
  }
}

/** Undoes the move that is under way, to its end, as the command does. */
export async function undoAll(): Promise<void> {
  for (;;) {
    const { state, reason } = await undoStep(mover())
    if (state === 'undone') return
    if (state === 'idle' || reason !== undefined) throw new Error(reason ?? 'no move is under way')
  }
}

/** Continues the move that is under way to its end, and begins no other. */
export async function endMoves(): Promise<void> {
  for (let requests = 0; await isMoving(); requests++) {
    if (requests === 100) throw new Error('the move does not come to an end')
    await moveStep(mover(), { first: '001', last: '000' }, FIRST)
  }
}
