import { env } from 'cloudflare:test'
import { getTableColumns } from 'drizzle-orm'
import type { RequestContext } from '../../../src/platform/context.ts'
import { files } from '../../../src/platform/db/schema.ts'
import { type Answer, send } from '../../support/answer.ts'
import { contextOf } from '../../support/context.ts'
import { allEverywhere } from '../../support/databases.ts'
import { tokenFor } from '../../support/identities.ts'
import { newUserId } from '../../support/ids.ts'
import { rulesWith } from '../../support/saves-object.ts'

const scopes =
  'audit:read quota:write notifications:publish announcements:publish content:moderate content:check users:erase users:read events:manage job:read saves:recall shards:move content:reconcile'

type Fetch = (request: Request) => Promise<Response>

/** A request that a scenario is about. */
export interface Asked {
  /** Who asks: the user whose things it is about unless it says otherwise. */
  by?: RequestContext
  method: string
  /** Below /v1. */
  path: string
  json?: unknown
  /** Its body, instead of JSON. */
  bytes?: Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
  /** Variables of the service that it goes to. */
  variables?: Record<string, string>
}

/** An upload in parts, as R2 knows it. */
export interface InParts {
  id: string
  multipart_id: string | null
}

/** Two users whom nobody has seen before, and names for the ids of what they have, so that scenes can be compared. */
export class Scene {
  readonly ada = contextOf(newUserId())
  readonly bob = contextOf(newUserId())
  /** Whether anything in it has to do with notifications. */
  hasInboxes = false
  /** Whether anything in it has to do with saves. */
  hasSaves = false
  /** Uploads whose content has arrived. */
  readonly arrived: { id: string }[] = []
  /**
   * The keys of content that may be left without a row until the walk through the bucket has come to it
   * (docs/operating.md#objects-without-a-record): the outcome of the write after it was unknown, or it could not be deleted.
   */
  readonly left: string[] = []
  /** Uploads in parts that somebody has begun. */
  readonly inParts: InParts[] = []
  readonly #names = new Map([
    [this.ada.user_id, 'ada'],
    [this.bob.user_id, 'bob'],
  ])

  /** Gives a thing a name, and hands it on. */
  named<Thing extends { id: string }>(name: string, thing: Thing): Thing {
    this.#names.set(thing.id, name)
    return thing
  }

  /** What the service said, without what differs from one time to another: ids, times, signatures, order by id. */
  masked(text: string): unknown {
    const plain = text
      .replaceAll(/[\w-]{8}-[\w-]{4}-[\w-]{4}-[\w-]{4}-[\w-]{12}/g, (id) => this.#names.get(id) ?? 'new')
      .replaceAll(/(https?:[^"?]*)\?[^"]*/g, '$1')
      .replaceAll(/\b[12]\d{9}\b/g, '0')
      .replaceAll(/"key":"[\w-]{32}"/g, '"key":"new"')
      // A note that completion is under way. When that is cut off, it stays until somebody completes again.
      .replaceAll('"processing_state":"processing"', '"processing_state":"pending"')
    return /^[{[]/.test(plain) ? sorted(JSON.parse(plain)) : plain || undefined
  }

  async ask(asked: Asked, fetch: Fetch): Promise<Answer> {
    const { by = this.ada, method, path, json, bytes, headers } = asked
    const token = await tokenFor(by.user_id, { scope: scopes })
    return send(
      method,
      `/v1${path}`,
      { json, body: bytes, headers: { Authorization: `Bearer ${token}`, ...headers } },
      fetch,
    )
  }

  /** All that there is of both users, which is all that their answers are made from; and what their inboxes say. */
  async picture(): Promise<unknown> {
    const users = [this.ada.user_id, this.bob.user_id]
    const tables = await allEverywhere(contents, ...users)
    const rows = JSON.stringify(tables)
    const inboxes = this.hasInboxes
      ? await Promise.all(users.map((user) => env.INBOX.getByName(user).list({ limit: 100, offset: 0 })))
      : []
    const saves = this.hasSaves ? await Promise.all(users.map((user) => savesOf(user))) : []
    return [this.masked(rows), this.masked(JSON.stringify(inboxes)), this.masked(JSON.stringify(saves))]
  }
}

/** The saves of a user, with their histories. */
async function savesOf(user: string): Promise<unknown> {
  const object = env.SAVES.getByName(user)
  const rules = rulesWith({ now: Math.floor(Date.now() / 1_000) })
  const [live, deleted] = [await object.list(false, rules), await object.list(true, rules)]
  const histories = await Promise.all(live.saves.map(({ slot }) => object.revisions(slot, rules)))
  return { live, deleted, histories }
}

const { revision, charged_bytes, expired_share_count, ...compared } = getTableColumns(files)
const { object_key, created_at, updated_at, trashed_at, ...plain } = compared

/** What is in the tables, but for times, and for what a repetition may change: revisions, and keys of objects. */
const contents = [
  `SELECT ${Object.keys(plain).join(', ')}, object_key IS NULL, trashed_at IS NULL
    FROM files WHERE owner_id IN (?1, ?2)`,
  'SELECT file_id, grantee_id, permission, expires_at FROM shares WHERE grantee_id IN (?1, ?2)',
  `SELECT id, owner_id, type, name, search_name, visibility, blocked, unlisted, rating_locked, current_version, deleted_versions, live_version,
    branched_from_asset_id, description, tags, metadata, listed, preview_type, preview_bytes, preview_width, preview_height,
    public_since IS NULL, private_since IS NULL, deleted_at IS NULL, purging FROM game_assets WHERE owner_id IN (?1, ?2)`,
  `SELECT asset_id, version, asset_versions.size_bytes, mime_type, asset_versions.branched_from_asset_id, branched_from_version,
    checksum_sha256, notes, min_build, max_build, platform, deleted_platforms
    FROM asset_versions JOIN game_assets ON game_assets.id = asset_id WHERE owner_id IN (?1, ?2)`,
  `SELECT asset_id, channel, version, key IS NULL FROM asset_channels JOIN game_assets ON game_assets.id = asset_id
    WHERE owner_id IN (?1, ?2)`,
  `SELECT asset_id, version, platform, size_bytes, mime_type, checksum_sha256
    FROM asset_variants JOIN game_assets ON game_assets.id = asset_id WHERE owner_id IN (?1, ?2)`,
  `SELECT upload_type, iif(state = 'completing', 'open', state) AS state, check_state, size_bytes, replaces, name, failure,
    (SELECT count(*) FROM json_each(parts)) AS parts FROM uploads
    WHERE owner_id IN (?1, ?2) AND state <> 'completed'`,
  `SELECT user_id, used_bytes, limit_bytes, items, assets, open_uploads FROM usage WHERE user_id IN (?1, ?2)
    AND (used_bytes, items, assets, open_uploads, limit_bytes) IS NOT (0, 0, 0, 0, NULL)`,
  'SELECT user_id, picture_id FROM profiles WHERE user_id IN (?1, ?2)',
  'SELECT user_id, asset_id FROM favorites WHERE user_id IN (?1, ?2)',
  `SELECT target_type, target_id, state, sequence, round, report_count, categories, decision_id IS NULL, appealed_at IS NULL FROM cases
    WHERE owner_id IN (?1, ?2)`,
  'SELECT category, round FROM reports WHERE reporter_id IN (?1, ?2)',
  'SELECT action, is_automated, lifted_at IS NULL FROM decisions WHERE owner_id IN (?1, ?2)',
  'SELECT by, state, answer FROM appeals WHERE user_id IN (?1, ?2)',
  'SELECT user_id, muted_id FROM mutes WHERE user_id IN (?1, ?2)',
  'SELECT caller_id, key FROM idempotency WHERE caller_id IN (?1, ?2)',
  // An announcement has no user: those of a scene say so.
  `SELECT id, type, data FROM announcements WHERE data ->> 'of' IN (?1, ?2)`,
  `SELECT id, attempts, parked_at IS NULL, last_error FROM outbox WHERE data ->> 'user_id' IN (?1, ?2)`,
]

/** The same in one order, however the ids, which tell the order of things made in the same moment, fell out. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]))
}
