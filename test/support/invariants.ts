import { env } from 'cloudflare:test'
import { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { partitionOf } from '../../src/platform/db/id.ts'
import { contentsOfAssets, hasOtherVersions, isUnlisted, parts } from '../proofs/model/recount.ts'
import { expectCasesSound } from './cases.ts'
import { expectCatalogue } from './catalogue.ts'
import { everywhere, holdersOf } from './databases.ts'
import { strays } from './moving.ts'

const Item = z.object({ id: z.string(), parent_id: z.string().nullable(), asset_type: z.string() })
type Item = z.output<typeof Item>

/** SQL: owners whose number of events differs from `outbox_counts`; `''` is the number of all events. */
const MISCOUNTED_EVENTS = `WITH found AS (SELECT owner_id, count(*) AS events FROM outbox WHERE owner_id <> '' GROUP BY owner_id
    UNION ALL SELECT '', count(*) FROM outbox)
  SELECT owner_id, found.events AS found, counted.events AS counted FROM found FULL JOIN outbox_counts AS counted USING (owner_id)
  WHERE found.events IS NULL OR counted.events <> found.events
    OR (counted.events IS NULL AND (owner_id = '' OR found.events >= 16))`

/** SQL: assets whose number of users in this database differs from `favorite_counts`. */
const MISCOUNTED_FAVORITES = `WITH found AS (SELECT asset_id, count(*) AS users FROM favorites GROUP BY asset_id)
  SELECT asset_id, found.users AS found, counted.users AS counted FROM found FULL JOIN favorite_counts AS counted USING (asset_id)
  WHERE found.users IS NOT counted.users`

/** Fails unless `outbox_counts` is right in every database. */
export async function expectEventsCounted(): Promise<void> {
  expect(await everywhere(MISCOUNTED_EVENTS)).toEqual([])
}

/** SQL: the users of the list in JSON that is the first parameter. */
const LISTED = '(SELECT value FROM json_each(?1))'

/**
 * The invariants of users' rows: the tree is connected and has no cycle, every counter equals a recount, files and
 * uploads agree about their states, the versions of an asset are those that were made and not deleted, and cases and measures agree. Many
 * users cost as many calls as one.
 */
export async function expectSound(...user_ids: string[]): Promise<void> {
  const holders = await holdersOf([...new Set(user_ids.map(partitionOf))])
  for (const [home, users] of Map.groupBy(new Set(user_ids), (user_id) =>
    holders.get(partitionOf(user_id)),
  )) {
    if (!home) throw new Error(`nowhere is a database that has ${users}`)
    await expectSoundIn(home, JSON.stringify(users))
  }
  await expectCasesSound(JSON.stringify(user_ids))
}

/** The same of users that one database has, in JSON. */
async function expectSoundIn(home: D1Database, users: string): Promise<void> {
  const [files, counted, told, torn, tornAssets, events, favorites, channels] = await home.batch([
    home.prepare(`SELECT id, parent_id, asset_type FROM files WHERE owner_id IN ${LISTED}`).bind(users),
    home
      .prepare(
        `SELECT value AS user_id, (SELECT count(*) FROM files WHERE owner_id = listed.value) AS items,
        (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE owner_id = listed.value AND processing_state = 'ready')
        + (SELECT coalesce(sum(size_bytes), 0) FROM uploads WHERE owner_id = listed.value AND state IN ('open', 'completing'))
        + (SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT asset_id, object_key, content.size_bytes
          FROM ${contentsOfAssets} AS content JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = listed.value))
        + (SELECT coalesce(sum(preview_bytes), 0) FROM game_assets WHERE owner_id = listed.value) AS used_bytes,
        (SELECT count(*) FROM game_assets WHERE owner_id = listed.value) AS assets,
        (SELECT count(*) FROM uploads WHERE owner_id = listed.value AND state IN ('open', 'completing')) AS open_uploads,
        (SELECT count(*) FROM garbage WHERE owner_id = listed.value) AS writable_keys,
        (SELECT count(*) FROM uploads WHERE owner_id = listed.value AND state IN ('completed', 'failed')) AS ended_uploads,
        (SELECT count(*) FROM game_assets WHERE owner_id = listed.value AND visibility = 'public' AND deleted_at IS NULL)
          AS public_assets,
        (SELECT count(*) FROM ${contentsOfAssets} JOIN game_assets ON game_assets.id = asset_id WHERE owner_id = listed.value)
          AS versions,
        (SELECT count(*) FROM idempotency WHERE caller_id = listed.value) AS idempotency_keys,
        (SELECT count(*) FROM favorites WHERE user_id = listed.value) AS favorites,
        (SELECT count(*) FROM mutes WHERE user_id = listed.value) AS mutes,
        (SELECT coalesce(sum(kept_bytes), 0) FROM garbage WHERE kept_for = listed.value) AS kept_bytes,
        (SELECT iif(usage.parts IS NULL, NULL, ${parts}) FROM usage WHERE user_id = listed.value) AS parts
        FROM json_each(?1) AS listed WHERE value IN (SELECT user_id FROM usage) ORDER BY value`,
      )
      .bind(users),
    home
      .prepare(
        `SELECT user_id, items, used_bytes, assets, open_uploads, writable_keys, ended_uploads, public_assets, versions, idempotency_keys,
        favorites, mutes, kept_bytes, parts
      FROM usage WHERE user_id IN ${LISTED} ORDER BY user_id`,
      )
      .bind(users),
    home
      .prepare(
        `SELECT uploads.id FROM uploads LEFT JOIN files ON files.id = uploads.file_id
      WHERE uploads.owner_id IN ${LISTED} AND upload_type = 'file' AND (files.id IS NULL
        OR (uploads.state = 'completed' AND (files.processing_state <> 'ready' OR (files.object_key <> uploads.id
          AND EXISTS (SELECT 1 FROM uploads AS later WHERE later.id = files.object_key AND later.replaces = 0))))
        OR (uploads.state <> 'completed' AND files.object_key = uploads.id))
      UNION ALL
      SELECT files.id FROM files WHERE owner_id IN ${LISTED} AND processing_state IN ('pending', 'processing')
        AND NOT EXISTS (SELECT 1 FROM uploads WHERE file_id = files.id AND state IN ('open', 'completing'))
      UNION ALL
      SELECT object_key FROM garbage WHERE object_key IN (SELECT object_key FROM files WHERE owner_id IN ${LISTED})
      UNION ALL
      SELECT id FROM uploads WHERE owner_id IN ${LISTED} AND state IN ('completed', 'failed')
        AND (parts <> '{}' OR expected_revisions IS NOT NULL OR notes IS NOT NULL)
      UNION ALL
      SELECT id FROM uploads WHERE owner_id IN ${LISTED} AND (state = 'open' OR (state = 'completed' AND check_state <> 'ready')
        OR (state <> 'failed' AND check_state = 'failed') OR (replaces = 0 AND check_state = 'waiting' AND state = 'completing' AND file_id IS NOT NULL
          AND file_id NOT IN (SELECT id FROM files WHERE processing_state = 'processing'))) AND check_state IS NOT NULL`,
      )
      .bind(users),
    home
      .prepare(
        `SELECT uploads.id FROM uploads WHERE owner_id IN ${LISTED} AND upload_type = 'game_asset'
        AND (state = 'completed') <> (completion_id IS NOT NULL)
      UNION ALL
      SELECT game_assets.id FROM game_assets WHERE owner_id IN ${LISTED} AND purging = 0
        AND (kept_until IS NOT NULL OR ${hasOtherVersions})
      UNION ALL
      SELECT garbage.object_key FROM garbage JOIN ${contentsOfAssets} AS content USING (object_key)
        JOIN game_assets ON game_assets.id = asset_id WHERE game_assets.owner_id IN ${LISTED}
        AND (is_version = 0 OR deleting = 1 OR substr(garbage.object_key, 21, 3) = substr(asset_id, 21, 3))
      UNION ALL
      SELECT id FROM game_assets WHERE owner_id IN ${LISTED} AND (preview_key IN (SELECT object_key FROM garbage)
        OR (preview_key IS NULL) <> (preview_type IS NULL) OR (preview_key IS NULL) <> (preview_bytes = 0)
        OR (preview_key IS NULL) <> (preview_width IS NULL) OR (preview_key IS NULL) <> (preview_height IS NULL))
      UNION ALL
      SELECT user_id FROM usage WHERE user_id IN ${LISTED} AND parts IS NOT NULL AND ${isUnlisted}`,
      )
      .bind(users),
    home.prepare(MISCOUNTED_EVENTS),
    home.prepare(MISCOUNTED_FAVORITES),
    home
      .prepare(
        `SELECT id FROM game_assets WHERE owner_id IN ${LISTED} AND (unseen_changes NOT BETWEEN 0 AND revision - 1
        OR live_version IS NOT (SELECT version FROM asset_channels WHERE asset_id = id AND channel = 'live'))
      UNION ALL
      SELECT id FROM game_assets JOIN asset_channels AS named ON named.asset_id = id WHERE owner_id IN ${LISTED} AND purging = 0
        AND NOT EXISTS (SELECT 1 FROM asset_versions WHERE (asset_id, version) = (named.asset_id, named.version))
      UNION ALL
      SELECT asset_id FROM asset_channels WHERE NOT EXISTS (SELECT 1 FROM game_assets WHERE id = asset_id)`,
      )
      .bind(users),
  ])
  expect(told?.results, 'counters equal a recount').toEqual(counted?.results)
  expect(torn?.results, 'records and uploads agree').toEqual([])
  expect(tornAssets?.results, 'assets, versions and uploads agree').toEqual([])
  expect(events?.results, 'events are counted').toEqual([])
  expect(favorites?.results, 'favorites are counted').toEqual([])
  expect(channels?.results, 'channels, assets and versions agree').toEqual([])
  expectTree(z.array(Item).parse(files?.results))
}

function expectTree(items: Item[]): void {
  const byId = new Map(items.map((item) => [item.id, item]))
  for (const item of items) {
    const seen = new Set<string>()
    for (
      let at: Item | undefined = item;
      at;
      at = at.parent_id === null ? undefined : byId.get(at.parent_id)
    ) {
      expect(seen.has(at.id), `${item.id} is in a cycle`).toBe(false)
      seen.add(at.id)
      const parent = at.parent_id === null ? undefined : byId.get(at.parent_id)
      if (parent) expect(parent.asset_type, `what ${at.id} lies in`).toBe('folder')
    }
  }
}

const FOREIGN_CONTENT = `SELECT DISTINCT 'refs/' || object_key || '/' || asset_id AS key FROM ${contentsOfAssets}
  WHERE substr(object_key, 21, 3) <> substr(asset_id, 21, 3)`

/** The keys of all objects; with `prefix`, of those that begin so. */
export async function keysInBucket(prefix?: string): Promise<string[]> {
  const keys: string[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const listed: R2Objects = await env.BUCKET.list({ prefix, cursor })
    keys.push(...listed.objects.map(({ key }) => key))
    more = listed.truncated
    cursor = listed.truncated ? listed.cursor : undefined
  }
  return keys
}

/** The keys of the required markers, of versions with another partition's content, and of the existing markers. */
export async function markers(): Promise<{ needed: string[]; there: string[] }> {
  const rows = await everywhere<{ key: string }>(FOREIGN_CONTENT)
  return { needed: rows.map(({ key }) => key), there: await keysInBucket('refs/') }
}

/**
 * The invariants of databases while no partition is being moved: each row is in the database in which its partition is open,
 * each version with another partition's content has its marker, and each share and each branch has its hint.
 */
export async function expectInPlace(): Promise<void> {
  expect(await strays(), 'rows that are not where their partition is open').toEqual([])
  const { needed, there } = await markers()
  expect(
    needed.filter((key) => !there.includes(key)),
    'versions without their marker',
  ).toEqual([])
  const { needed: facts, hints } = await hinted()
  expect(
    facts.filter((fact) => !hints.includes(fact)),
    'shares and branches without their hint',
  ).toEqual([])
}

/**
 * The invariant after the job has finished: no marker without a version, no hint without a share or branch, and the catalogue is what
 * the assets say.
 */
export async function expectNothingSuperfluous(): Promise<void> {
  await expectInPlace()
  await expectCatalogue()
  const { needed, there } = await markers()
  expect(there.toSorted(), 'markers of versions').toEqual(needed.toSorted())
  const { facts, hints } = await hinted()
  expect(
    hints.filter((hint) => !facts.includes(hint)),
    'hints without a share or a branch',
  ).toEqual([])
}

/**
 * The shares and branches that may have hints, those that must have one, and the existing hints: each with its user or source
 * and the partition that the hint names. A branch in the trash, or in its source's partition, needs no hint.
 */
async function hinted(): Promise<Record<'facts' | 'needed' | 'hints', string[]>> {
  const rows = await everywhere<{
    kind: 'share' | 'branch' | 'hint' | 'asset'
    hint: string
    is_needed: number
  }>(
    `SELECT 'share' AS kind, grantee_id || ' ' || substr(id, 21, 3) AS hint, 1 AS is_needed FROM shares
    UNION SELECT 'branch', branched_from_asset_id || ' ' || substr(id, 21, 3),
      deleted_at IS NULL AND substr(id, 21, 3) <> substr(branched_from_asset_id, 21, 3)
    FROM game_assets WHERE branched_from_asset_id IS NOT NULL
    UNION ALL SELECT 'hint', grantee_id || ' ' || partition, 0 FROM share_hints
    UNION ALL SELECT 'hint', source_id || ' ' || partition, 0 FROM branch_hints
    UNION ALL SELECT 'asset', id, 0 FROM game_assets`,
  )
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  const [shares, branches, hints] = [of('share'), of('branch'), of('hint')]
  const ids = new Set(of('asset').map(({ hint }) => hint))
  // A branch may outlive its source; then it needs no hint.
  const isAlive = ({ hint }: { hint: string }) => ids.has(hint.slice(0, 36))
  const sorted = (rows: { hint: string }[]) => [...new Set(rows.map(({ hint }) => hint))].sort()
  const needed = [...shares, ...branches.filter((branch) => branch.is_needed === 1 && isAlive(branch))]
  return { facts: sorted([...shares, ...branches]), needed: sorted(needed), hints: sorted(hints) }
}
