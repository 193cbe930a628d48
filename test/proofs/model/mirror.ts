import { env } from 'cloudflare:test'
import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { partitionIn, partitionOf } from '../../../src/platform/db/id.ts'
import { countOf, everyDatabase, everywhere, holdersOf } from '../../support/databases.ts'
import { markers } from '../../support/invariants.ts'
import { currentVersion } from './asset-record.ts'
import { AT_ONCE } from './content.ts'
import { previewBytes } from './counting.ts'
import type { Item } from './files.ts'
import { isFading } from './mutes.ts'
import { isMiscounted, isNeeded } from './recount.ts'
import type { Asset, Upload, Variant, World } from './state.ts'

type Row = Record<string, unknown>

const flag = z.number().transform((value) => value === 1)

/** A row of `files`. The story has each column that `toldColumns` does not leave out. */
const FileRow = z.looseObject({
  id: z.string(),
  parent_id: z.string().nullable(),
  is_public: flag,
  blocked: flag,
  trashed_at: z.number().nullable(),
  purging: flag,
})

type FileRow = z.output<typeof FileRow>

/** What is read to compare, and the partition that each of its rows belongs to. */
const read = {
  files: ['SELECT * FROM files', ofId],
  shares: [
    `SELECT id, file_id, grantee_id, permission, expires_at, created_at, EXISTS (SELECT 1 FROM erasures
        WHERE user_id = grantee_id AND until >= shares.created_at) AS is_hidden FROM shares`,
    ofId,
  ],
  uploads: [
    'SELECT id, owner_id, state, failure_code, check_state, expires_at, file_id, asset_id FROM uploads',
    ofId,
  ],
  assets: [
    `SELECT id, owner_id, type, name, visibility, description, tags, metadata, listed, rating, published_at, public_since, private_since,
        preview_bytes, preview_width, preview_height, favorites,
        blocked, unlisted, rating_locked, branched_from_asset_id, created_at, updated_at, deleted_at, current_version, revision,
        live_version, unseen_changes, released_version
        FROM game_assets WHERE purging = 0`,
    ofId,
  ],
  versions: [
    `SELECT id, asset_id, version, size_bytes, checksum_sha256, notes, created_at, branched_from_asset_id, branched_from_version,
        min_build, max_build, platform, deleted_platforms, object_key,
        (SELECT json_group_array(json_array(platform, size_bytes, checksum_sha256, created_at, object_key) ORDER BY platform)
          FROM asset_variants WHERE (asset_variants.asset_id, asset_variants.version) = (asset_versions.asset_id, asset_versions.version))
          AS variants
      FROM asset_versions
      WHERE asset_id IN (SELECT id FROM game_assets WHERE purging = 0) ORDER BY asset_id, version`,
    ofId,
  ],
  channels: [
    `SELECT asset_id || ' ' || channel AS id, version, key, asset_channels.updated_at FROM asset_channels
      WHERE asset_id IN (SELECT id FROM game_assets WHERE purging = 0)`,
    ofId,
  ],
  limits: ['SELECT user_id, limit_bytes FROM usage WHERE limit_bytes IS NOT NULL', ofUser],
  usage: [`SELECT user_id FROM usage WHERE ${isMiscounted}`, ofUser],
  torn: [`SELECT object_key FROM garbage WHERE ${isNeeded}`, ofKey],
  profiles: ['SELECT user_id, picture_id, updated_at FROM profiles', ofUser],
  favorites: [
    `SELECT user_id, json_group_array(asset_id ORDER BY id) AS ids FROM favorites WHERE created_at > coalesce(
        (SELECT until FROM erasures WHERE erasures.user_id = favorites.user_id), -1) GROUP BY user_id`,
    ofUser,
  ],
  mutes: [
    `SELECT user_id, muted_id, created_at FROM mutes WHERE created_at > coalesce(
        (SELECT until FROM erasures WHERE erasures.user_id = mutes.user_id), -1) ORDER BY id`,
    ofUser,
  ],
  events: ['SELECT id, created_at, attempts, parked_at, last_error, last_failed_at FROM outbox', ofId],
} as const

type Read = { [Name in keyof typeof read]: Row[] }

function ofId({ id }: Row): string {
  return partitionIn(String(id))
}

function ofUser({ user_id }: Row): string {
  return partitionOf(String(user_id))
}

function ofKey({ object_key }: Row): string {
  return partitionIn(String(object_key))
}

/**
 * The rows of all databases, each where its partition is: a move has copies of them elsewhere for a while. Undefined while a
 * partition of a player is just being handed over.
 */
async function rowsHeld({ players, operator }: World): Promise<Read | undefined> {
  const partitions = [...new Set([...players, operator].map(partitionOf))]
  const holders = await holdersOf(partitions)
  if (holders.size < partitions.length) return undefined
  const answers = await Promise.all(
    everyDatabase.map(async (database) => ({
      database,
      results: await database.batch<Row>(Object.values(read).map(([query]) => database.prepare(query))),
    })),
  )
  const held = (index: number, partitionOfRow: (row: Row) => string) =>
    answers.flatMap(({ database, results }) =>
      (results[index]?.results ?? []).filter((row) => {
        const holder = holders.get(partitionOfRow(row))
        return holder === undefined || holder === database
      }),
    )
  return {
    files: held(0, read.files[1]),
    shares: held(1, read.shares[1]),
    uploads: held(2, read.uploads[1]),
    assets: held(3, read.assets[1]),
    versions: held(4, read.versions[1]),
    channels: held(5, read.channels[1]),
    limits: held(6, read.limits[1]),
    usage: held(7, read.usage[1]),
    torn: held(8, read.torn[1]),
    profiles: held(9, read.profiles[1]),
    favorites: held(10, read.favorites[1]),
    mutes: held(11, read.mutes[1]),
    events: held(12, read.events[1]),
  }
}

/**
 * The rows say what the story says: nothing is missing, and nothing else is there but what is on its way out; counters
 * equal a recount, and content that is known is not on its way out.
 */
export async function expectMirrored(world: World): Promise<void> {
  await expectModerated(world)
  const rows = await rowsHeld(world)
  if (!rows) return
  const {
    files,
    shares,
    uploads,
    assets,
    versions,
    channels,
    limits,
    usage,
    torn,
    profiles,
    favorites,
    mutes,
    events,
  } = rows
  const there = present(z.array(FileRow).parse(files))
  const ids = new Set(there.map(({ id }) => id))
  expect(byId(there.map((row) => toldColumns(world, row)))).toEqual(
    byId([...world.items.values()].map(itemRow)),
  )
  const isThere = ({ file_id }: Row) => file_id === null || ids.has(String(file_id))
  expect(byId(shares.filter(isThere).flatMap(shown))).toEqual(byId([...world.shares.values()]))
  expect(byId(uploads.filter(isThere).map(settled))).toEqual(byId([...world.uploads.values()].map(uploadRow)))
  expect(byId(assets)).toEqual(byId([...world.assets.values()].map((asset) => assetRow(world, asset))))
  expect(byId(versions)).toEqual(
    byId(
      [...world.assets.values()].flatMap((asset) =>
        asset.versions.map(({ content, variants, deleted_platforms, ...version }) => ({
          ...version,
          deleted_platforms: JSON.stringify(deleted_platforms),
          variants: JSON.stringify(variants.toSorted(byPlatform).map(variantRow)),
          object_key: content,
        })),
      ),
    ),
  )
  expect(byId(channels)).toEqual(
    byId(
      [...world.assets.values()].flatMap((asset) =>
        [...asset.channels].map(([channel, row]) => ({ id: `${asset.id} ${channel}`, ...row })),
      ),
    ),
  )
  const chosen = profiles
    .filter(({ picture_id }) => ids.has(String(picture_id)))
    .map(({ user_id, ...picture }): [unknown, Row] => [user_id, picture])
  expect(new Map(chosen)).toEqual(world.pictures)
  const liked = favorites.map(({ user_id, ids }): [string, string[]] => [
    String(user_id),
    JSON.parse(String(ids)),
  ])
  expect(ofPresent(world, liked), 'favorites').toEqual(ofPresent(world, [...world.favorites]))
  expect(byMuter(world, z.array(MuteRow).parse(mutes)), 'mutes').toEqual(
    byMuter(
      world,
      [...world.mutes].flatMap(([user_id, some]) =>
        some.map((mute) => ({ user_id, muted_id: mute.user_id, created_at: mute.created_at })),
      ),
    ),
  )
  expect(byId(events)).toEqual(byId([...world.events.values()].map(({ user_id: _, ...event }) => event)))
  const given = limits.map(({ user_id, limit_bytes }) => [user_id, limit_bytes])
  expect(Object.fromEntries(given), 'limits of their own').toEqual(world.limit_bytes)
  expect(usage, 'counters equal a recount').toEqual([])
  expect(torn, 'content that is known, on its way out').toEqual([])
}

const MuteRow = z.object({ user_id: z.string(), muted_id: z.string(), created_at: z.int() })

/** The mutes of each user in their order, without those that may be there or not. */
function byMuter(world: World, mutes: z.output<typeof MuteRow>[]) {
  return Map.groupBy(
    mutes.filter(({ muted_id, created_at }) => !isFading(world, { user_id: muted_id, created_at })),
    ({ user_id }) => user_id,
  )
}

/** The rows of moderation say which decision has ended a report, and which one is in force: the answers alone do not. */
async function expectModerated({ reports, cases }: World): Promise<void> {
  if (cases.size === 0) return
  const decisions = [...cases.values()].flatMap((one) => one.decisions)
  const [ended, lifted] = await env.DB.batch<{ id: string; told: string | number | null }>([
    env.DB.prepare(
      `SELECT id, (SELECT id FROM decisions WHERE decisions.case_id = reports.case_id AND decisions.round = reports.round) AS told
        FROM reports WHERE id IN (SELECT value FROM json_each(?))`,
    ).bind(JSON.stringify(reports.map(({ id }) => id))),
    env.DB.prepare(
      'SELECT id, lifted_at AS told FROM decisions WHERE id IN (SELECT value FROM json_each(?))',
    ).bind(JSON.stringify(decisions.map(({ id }) => id))),
  ])
  expect(byId(ended?.results ?? []), 'reports and the decisions that ended them').toEqual(
    byId(reports.map(({ id, decision }) => ({ id, told: decision?.id ?? null }))),
  )
  expect(byId(lifted?.results ?? []), 'decisions').toEqual(
    byId(decisions.map(({ id, lifted_at }) => ({ id, told: lifted_at }))),
  )
}

/** The favorites of users without those of assets that are gone, which the job removes. */
function ofPresent({ assets }: World, favorites: [string, string[]][]): Map<string, string[]> {
  const present = favorites.map(([user, ids]): [string, string[]] => [
    user,
    ids.filter((id) => assets.has(id)),
  ])
  return new Map(present.filter(([, ids]) => ids.length > 0))
}

/** Without what is being removed, itself or from above. */
function present(rows: FileRow[]): FileRow[] {
  const all = new Map(rows.map((row) => [row.id, row]))
  const isGone = (row: FileRow | undefined): boolean =>
    row === undefined ||
    (row.trashed_at === null ? row.parent_id !== null && isGone(all.get(row.parent_id)) : row.purging)
  return rows.filter((row) => !isGone(row))
}

function toldColumns(world: World, row: FileRow) {
  const { charged_bytes, share_count, expired_share_count, purging, object_key, ...told } = row
  const isOfUpload = typeof object_key !== 'string' || world.urls.has(object_key)
  return { ...told, object_key: isOfUpload ? object_key : AT_ONCE }
}

function itemRow(item: Item) {
  const { changes, etags, content, has_hidden_shares, measure, ...row } = item
  return { ...row, revision: revisionOf(item), object_key: content?.startsWith(AT_ONCE) ? AT_ONCE : content }
}

/**
 * The revision that the last ETag tells, if any answer had it. Of two equal changes at once the answers alone don't tell which
 * came last.
 */
function revisionOf({ changes, etags }: Item | Asset): unknown {
  const etag = etags[changes]
  return etag === undefined ? expect.any(Number) : Number(etag.slice(1, -1))
}

/**
 * A share as the story has it. An erasure removes what was shared with the user in the user's own database, and hides the
 * rest by a mark until the job of each other database removes it.
 */
function shown({ is_hidden, ...share }: Row): Row[] {
  return is_hidden === 1 && everyDatabase.length > 1 ? [] : [share]
}

/** "completing" is a note, not a state. */
function settled(row: Row) {
  return { ...row, state: row.state === 'completing' ? 'open' : row.state }
}

function uploadRow(upload: Upload) {
  const { id, owner_id, state, failure, check, expires_at, file_id, asset_id } = upload
  return { id, owner_id, state, failure_code: failure, check_state: check, expires_at, file_id, asset_id }
}

function byPlatform(one: Variant, other: Variant): number {
  return one.platform < other.platform ? -1 : 1
}

function variantRow({ platform, size_bytes, checksum_sha256, created_at, content }: Variant): unknown[] {
  return [platform, size_bytes, checksum_sha256, created_at, content]
}

function assetRow(world: World, asset: Asset) {
  const {
    versions,
    channels,
    unseen,
    unseen_at,
    etags_of_others,
    released,
    branched_from,
    blocked,
    unlisted,
    measure,
    tags,
    metadata,
    listed,
    favorites,
    preview,
    changes,
    etags,
    ...row
  } = asset
  return {
    ...row,
    tags: JSON.stringify(tags),
    metadata: JSON.stringify(metadata),
    listed: Number(listed),
    favorites: expect.toSatisfy((shown) => favorites.some((count) => count === shown)),
    preview_bytes: previewBytes(world, asset),
    blocked: Number(blocked),
    unlisted: Number(unlisted),
    branched_from_asset_id: branched_from,
    current_version: currentVersion(asset),
    revision: revisionOf(asset),
    live_version: channels.get('live')?.version ?? null,
    unseen_changes: unseen,
    released_version: released,
  }
}

/**
 * The records of assets say how many users like them, and nobody likes one that is gone. To be asked when the job has run, and
 * nothing moves.
 */
export async function expectCounted(world: World): Promise<void> {
  const liked = await everywhere<{ asset_id: string }>('SELECT DISTINCT asset_id FROM favorites')
  expect(liked.filter(({ asset_id }) => !world.assets.has(asset_id))).toEqual([])
  const rows = await everywhere<{ id: string; favorites: number }>(
    'SELECT id, favorites FROM game_assets WHERE purging = 0',
  )
  expect(Object.fromEntries(rows.map(({ id, favorites }) => [id, favorites]))).toEqual(
    Object.fromEntries([...world.assets.values()].map(({ id, favorites }) => [id, favorites.at(-1)])),
  )
}

function byId<Kept>(rows: Kept[]): Record<string, Kept> {
  return Object.fromEntries(
    rows.map((row) => [typeof row === 'object' && row !== null && 'id' in row ? String(row.id) : '', row]),
  )
}

/** The keys of what has to be in the bucket. */
export function neededKeys(world: World): Set<string> {
  const open = [...world.uploads.values()].filter(
    ({ id, state }) => state === 'open' && world.objects.has(id),
  )
  return new Set([
    ...[...world.items.values()].flatMap(({ content }) => (content === null ? [] : [content])),
    ...[...world.assets.values()].flatMap(({ versions, preview }) => [
      ...versions.flatMap(({ content, variants }) => [
        content,
        ...variants.map((variant) => variant.content),
      ]),
      ...(preview === null ? [] : [preview]),
    ]),
    ...open.map(({ id }) => id),
  ])
}

async function keysThere(): Promise<Set<string>> {
  const { objects, truncated } = await env.BUCKET.list()
  expect(truncated, 'so few objects fit on a page').toBe(false)
  return new Set(objects.map(({ key }) => key).filter((key) => !/^(\.pairing|refs\/|erased\/)/.test(key)))
}

/** The keys of the bucket that the story needs, each with the story's own key for it. */
async function neededObjects(world: World): Promise<Map<string, string>> {
  const rows = await everywhere<{ id: string; object_key: string }>(
    `SELECT id, object_key FROM files WHERE object_key IS NOT NULL
      UNION ALL SELECT id, preview_key FROM game_assets WHERE preview_key IS NOT NULL`,
  )
  const keys = new Map(rows.map(({ id, object_key }) => [id, object_key]))
  const atOnce = [...world.items.values()].filter(({ content }) => content?.startsWith(AT_ONCE))
  const previewed = [...world.assets.values()].filter(({ preview }) => preview !== null)
  const byStoryKey = new Map([
    ...atOnce.map(({ id, content }): [string | null, string | undefined] => [content, keys.get(id)]),
    ...previewed.map(({ id, preview }): [string | null, string | undefined] => [preview, keys.get(id)]),
  ])
  return new Map([...neededKeys(world)].map((key) => [byStoryKey.get(key) ?? key, key]))
}

/** Everything that the story knows of has its content. */
export async function expectContent(world: World): Promise<void> {
  const there = await keysThere()
  expect(
    [...(await neededObjects(world)).keys()].filter((key) => !there.has(key)),
    'records without content',
  ).toEqual([])
}

/** And nothing else is in the bucket; what is there is what was sent. To be asked when every URL has expired and the job has run. */
export async function expectNoOtherContent(world: World): Promise<void> {
  const [there, needed] = [await keysThere(), await neededObjects(world)]
  expect([...there].sort()).toEqual([...needed.keys()].sort())
  for (const [key, storyKey] of needed) {
    const object = await env.BUCKET.get(key)
    const sent = String.fromCharCode(...new Uint8Array((await object?.arrayBuffer()) ?? []))
    expect(sent, `the content of ${key}`).toBe(world.objects.get(storyKey))
  }
}

const tables = [
  'files',
  'shares',
  'profiles',
  'uploads',
  'game_assets',
  'asset_versions',
  'asset_variants',
  'asset_channels',
  'garbage',
  'idempotency',
  'erasures',
  'usage',
  'share_hints',
  'branch_hints',
  'outbox',
  'moves',
  'moving_users',
  'favorites',
  'favorite_counts',
  'favorite_recounts',
  'mutes',
  'mute_lists',
  'catalogue_marks',
  'catalogue_entries',
  'catalogue_hidden_owners',
]

/** Nothing is left of anybody. */
export async function expectNothingLeft(): Promise<void> {
  const counts = await Promise.all(tables.map(async (table) => [table, await countOf(table)]))
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(tables.map((table) => [table, 0])))
  expect((await markers()).there).toEqual([])
  expect(await keysThere()).toEqual(new Set())
}
