import type { Person } from './people.ts'
import { type Row, rowsOf, type Snapshot } from './snapshot.ts'

/**
 * Who may know what, decided anew from the rows and from the contract alone, in the plainest way: everybody their own
 * things, what is public, and what is shared with them (docs/conformance.md#files,
 * docs/conformance.md#shares, docs/conformance.md#game-assets).
 */

const TOKENS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|zq[0-9a-f]{8}qz/g

/** Every id and every marker in a text, also where the text is percent-encoded, or a cursor. */
export function tokensIn(text: string): Set<string> {
  const cursors = [...text.matchAll(/[\w-]{40,}/g)].map(([word]) => fromBase64(word))
  return new Set([text, ...cursors].flatMap((part) => part.match(TOKENS) ?? []))
}

function fromBase64(word: string): string {
  try {
    return atob(word.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

const known = new WeakMap<Snapshot, Map<string, Set<string>>>()

/** Every id and every marker that the user may be told of, as things stand. */
export function knowledgeOf({ user, scopes }: Person, snapshot: Snapshot): Set<string> {
  const ofAll = known.get(snapshot) ?? new Map<string, Set<string>>()
  known.set(snapshot, ofAll)
  const knowledge =
    ofAll.get(user.id) ??
    new Set([
      ...gather(user.id, snapshot),
      ...(scopes.includes('content:moderate') ? whatModeratorsSee(snapshot) : []),
      ...(scopes.includes('audit:read') ? rowsOf(snapshot, 'audit').flatMap(all) : []),
      ...(scopes.includes('saves:recall') ? rowsOf(snapshot, 'recalls').flatMap(all) : []),
      ...(scopes.includes('announcements:publish') ? rowsOf(snapshot, 'announcements').flatMap(all) : []),
    ])
  ofAll.set(user.id, knowledge)
  return knowledge
}

/** What a moderator is told of everybody's (docs/conformance.md#for-those-who-run-it). */
function* whatModeratorsSee(snapshot: Snapshot): Generator<string> {
  for (const table of ['cases', 'reports', 'decisions', 'appeals'])
    for (const row of rowsOf(snapshot, table)) yield* all(row)
  // The thing of a case, and its content.
  const targets = new Set(rowsOf(snapshot, 'cases').map(({ target_id }) => target_id))
  for (const thing of [...rowsOf(snapshot, 'files'), ...rowsOf(snapshot, 'game_assets')])
    if (targets.has(thing.id)) yield* all(thing)
  for (const version of [...rowsOf(snapshot, 'asset_versions'), ...rowsOf(snapshot, 'asset_variants')])
    if (targets.has(version.asset_id)) yield* all(version)
  for (const thing of [...rowsOf(snapshot, 'files'), ...rowsOf(snapshot, 'game_assets')])
    if (thing.blocked === 1) yield* some(thing, ['id', 'name', 'owner_id'])
}

function* gather(user_id: string, snapshot: Snapshot): Generator<string> {
  yield* tokensIn(user_id)
  yield* ofFiles(user_id, snapshot)
  yield* ofAssets(user_id, snapshot)
  for (const upload of rowsOf(snapshot, 'uploads')) if (upload.owner_id === user_id) yield* all(upload)
  for (const notification of rowsOf(snapshot, 'inbox'))
    if (notification.user_id === user_id) yield* all(notification)
  for (const save of rowsOf(snapshot, 'saves')) if (save.user_id === user_id) yield* all(save)
  for (const mute of rowsOf(snapshot, 'mutes')) if (mute.user_id === user_id) yield* all(mute)
  for (const report of rowsOf(snapshot, 'reports'))
    if (report.reporter_id === user_id) {
      yield* some(report, ['id', 'target_id', 'text'])
      // The decision that has ended it.
      for (const decision of rowsOf(snapshot, 'decisions'))
        if (decision.case_id === report.case_id && decision.round === report.round)
          yield* some(decision, ['id'])
    }
  for (const decision of rowsOf(snapshot, 'decisions'))
    if (decision.owner_id === user_id)
      yield* some(decision, ['id', 'target_id', 'name', 'owner_id', 'rule', 'statement'])
  for (const appeal of rowsOf(snapshot, 'appeals'))
    if (appeal.user_id === user_id) yield* some(appeal, ['id', 'decision_id', 'text', 'answer'])
}

function* ofFiles(user_id: string, snapshot: Snapshot): Generator<string> {
  const files = snapshot.get('files') ?? new Map<string, Row>()
  for (const file of files.values()) {
    if (file.owner_id === user_id) yield* all(file)
    else if (isPublic(pathOf(file, files))) yield* some(file, ['id', 'name', 'owner_id', 'object_key'])
  }
  // Who chooses a picture shows it to everybody.
  for (const { picture_id } of rowsOf(snapshot, 'profiles')) {
    const file = files.get(String(picture_id))
    if (file) yield* some(file, ['id', 'owner_id', 'object_key'])
  }
  for (const share of rowsOf(snapshot, 'shares')) {
    const file = files.get(String(share.file_id))
    if (!file) continue
    if (file.owner_id === user_id) yield* all(share)
    if (share.grantee_id !== user_id) continue
    yield* some(share, ['id'])
    const hasExpired = typeof share.expires_at === 'number' && share.expires_at <= Date.now() / 1000
    const path = pathOf(file, files)
    const isShown = !hasExpired && path.every(({ blocked, purging }) => blocked === 0 && purging === 0)
    if (isShown) yield* some(file, ['id', 'name', 'owner_id', 'object_key'])
  }
}

function* ofAssets(user_id: string, snapshot: Snapshot): Generator<string> {
  const shown = new Map<unknown, number>()
  for (const asset of rowsOf(snapshot, 'game_assets')) {
    const isListed = asset.visibility === 'public' && asset.blocked === 0 && asset.deleted_at === null
    if (asset.owner_id !== user_id && !isListed) continue
    shown.set(asset.id, asset.owner_id === user_id ? Number.POSITIVE_INFINITY : ceilingOf(asset, snapshot))
    if (asset.owner_id === user_id)
      for (const channel of rowsOf(snapshot, 'asset_channels'))
        if (channel.asset_id === asset.id) yield* all(channel)
    yield* some(asset, ['id', 'name', 'owner_id', 'description', 'tags', 'metadata', 'preview_key'])
  }
  for (const version of [...rowsOf(snapshot, 'asset_versions'), ...rowsOf(snapshot, 'asset_variants')])
    if (Number(version.version) <= (shown.get(version.asset_id) ?? 0)) yield* all(version)
}

/** The highest version that others can name: that of `live`, or of a channel whose key they may have come by. */
function ceilingOf({ id, live_version, current_version }: Row, snapshot: Snapshot): number {
  const channels = rowsOf(snapshot, 'asset_channels').filter(({ asset_id }) => asset_id === id)
  return Math.max(Number(live_version ?? current_version), ...channels.map(({ version }) => Number(version)))
}

/** The item, and every folder above it. */
function pathOf(item: Row, files: Map<string, Row>): Row[] {
  const path = [item]
  for (let above = files.get(String(item.parent_id)); above; above = files.get(String(above.parent_id))) {
    if (path.includes(above)) throw new Error(`a cycle: ${item.id}`)
    path.push(above)
  }
  return path
}

/** Whether anybody may see the item at the foot of a path: something on it is public, nothing blocked or deleted. */
function isPublic(path: Row[]): boolean {
  const isWhole = path.at(-1)?.parent_id === null
  const isLive = path.every(({ trashed_at, blocked }) => trashed_at === null && blocked === 0)
  return isWhole && isLive && path.some(({ is_public }) => is_public === 1)
}

function all(row: Row): string[] {
  return some(row, Object.keys(row))
}

function some(row: Row, columns: string[]): string[] {
  return columns.flatMap((column) => [...tokensIn(String(row[column] ?? ''))])
}

/** Whether an id or marker is of something of another user's that this one may not know of. */
export function isSecretFrom(token: string, person: Person, snapshot: Snapshot): boolean {
  return !knowledgeOf(person, snapshot).has(token) && everything(snapshot).has(token)
}

const stored = new WeakMap<Snapshot, Set<string>>()

/**
 * What is stored of anybody's. Events in the outbox repeat ids of what has gone meanwhile, which a socket may still replay; so
 * does an Idempotency-Key, for which a client may take any id.
 */
function everything(snapshot: Snapshot): Set<string> {
  const tables = [...snapshot].filter(([table]) => !['outbox', 'outbox_counts'].includes(table))
  const tokens =
    stored.get(snapshot) ??
    new Set(tables.flatMap(([, rows]) => [...rows.values()].flatMap(({ key: _, ...row }) => all(row))))
  stored.set(snapshot, tokens)
  return tokens
}

/** What a user is told in numbers: recounted from the rows that are theirs. */
export function countsOf(
  { user }: Person,
  snapshot: Snapshot,
): { used_bytes: number; bytes_of_saves: number; total: number; unread: number } {
  const own = (table: string) => rowsOf(snapshot, table).filter(({ owner_id }) => owner_id === user.id)
  const assets = new Set(own('game_assets').map(({ id }) => id))
  const holding = [
    ...own('files').filter(({ processing_state }) => processing_state === 'ready'),
    ...own('uploads').filter(({ state }) => state === 'open' || state === 'completing'),
    // Each content counts once for each asset: a rollback shares what is there.
    ...new Map(
      [...rowsOf(snapshot, 'asset_versions'), ...rowsOf(snapshot, 'asset_variants')]
        .filter(({ asset_id }) => assets.has(asset_id))
        .map((version) => [`${version.asset_id} ${version.object_key}`, version]),
    ).values(),
  ]
  const previews = own('game_assets').reduce((sum, { preview_bytes }) => sum + Number(preview_bytes), 0)
  const saves = rowsOf(snapshot, 'saves').filter(({ user_id }) => user_id === user.id)
  const inbox = rowsOf(snapshot, 'inbox').filter(({ user_id, id }) => user_id === user.id && id !== undefined)
  return {
    used_bytes: sizeOf(holding) + previews,
    bytes_of_saves: sizeOf(saves),
    total: inbox.length,
    unread: inbox.filter(({ state }) => state === 'unread').length,
  }
}

function sizeOf(rows: Row[]): number {
  return rows.reduce((sum, { size_bytes }) => sum + Number(size_bytes), 0)
}
