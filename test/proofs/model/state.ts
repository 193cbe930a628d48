import type { Act } from './act.ts'
import type { Counts } from './counting.ts'
import type { Item } from './files.ts'
import type { Mute } from './mutes.ts'

/**
 * The service as a plain story in memory: what docs/conformance.md says is there, and nothing of how it
 * is kept. Acts (act.ts) move it on; answers and rows are compared with it.
 */
export interface World {
  now_ms: number
  /** Whether other things are done at the same time: then a run of the job has released some, or not yet. */
  isBusy: boolean
  limits: Limits
  /** Those who play; all of them are compared after each step. */
  players: string[]
  /** A studio's service, with every scope. */
  operator: string
  /** Limits of their own. */
  limit_bytes: Record<string, number>
  /** Until when what they made has been erased, in Unix seconds. */
  erased_until: Record<string, number>
  items: Map<string, Item>
  shares: Map<string, Share>
  uploads: Map<string, Upload>
  assets: Map<string, Asset>
  /** The ids of the assets that each user likes, in the order in which they were added: also of those that have gone. */
  favorites: Map<string, string[]>
  /** Whom each user has muted, the last muted last. */
  mutes: Map<string, Mute[]>
  /** The profile picture that each user has chosen. */
  pictures: Map<string, { picture_id: string; updated_at: number }>
  inboxes: Map<string, Inbox>
  /** The announcements that have not been ended, the oldest first, those included whose time is over. */
  announcements: Announcement[]
  /** The version of their list. */
  announced: number
  /** What the one isolate of the story's service knows of them. */
  known: Known
  events: Map<string, UndeliveredEvent>
  /** The cases of moderation, by what they are about. */
  cases: Map<string, Case>
  /** The reports of all cases. */
  reports: Report[]
  /** What each Idempotency-Key has made, by caller and key. */
  keys: Map<string, Kept>
  /** What came with an Idempotency-Key, to be done again. */
  keyed: Act[]
  /** Ids of what has gone for good. */
  gone: string[]
  /** What is released by the next run of the job at the latest. */
  releasing: Map<string, Counts>
  /** Uploads that did not complete, which may count until then. */
  given_up: { owner_id: string; until: number }[]
  /** Content that has been put under an upload's key, also under one that is gone since. */
  objects: Map<string, string>
  /** Uploads whose object carries what was not signed. */
  foreign: Set<string>
  /** Every upload that was ever started: its URL may be used until its end, whatever has become of it. */
  urls: Map<string, Upload>
}

/** The limits that the service runs with while the story is told: low, so that they are met. */
export interface Limits {
  DEFAULT_QUOTA_BYTES: number
  MAX_ITEMS: number
  MAX_ASSETS: number
  MAX_PUBLIC_ASSETS: number
  MAX_VERSIONS: number
  MAX_OPEN_UPLOADS: number
  MAX_SHARES_PER_FILE: number
  MAX_VERSIONS_PER_ASSET: number
  MAX_FAVORITES: number
  MAX_MUTES: number
  MAX_FOLDER_DEPTH: number
  MAX_NOTIFICATIONS: number
  MAX_ANNOUNCEMENTS: number
  MULTIPART_THRESHOLD: number
  PART_SIZE: number
  UPLOAD_TTL: number
  UPLOAD_URL_TTL: number
  DOWNLOAD_URL_TTL: number
  TRASH_RETENTION_DAYS: number
  NOTIFICATION_RETENTION_DAYS: number
}

export interface Share {
  id: string
  file_id: string
  grantee_id: string
  permission: string
  expires_at: number | null
  created_at: number
}

export interface Upload {
  id: string
  owner_id: string
  upload_type: 'file' | 'game_asset'
  state: 'open' | 'completed' | 'failed'
  failure: string | null
  /** What the studio's checker has said of its content, or that it has to say it; null: nobody asks it. */
  check: 'waiting' | 'ready' | 'failed' | null
  size_bytes: number
  mime_type: string
  checksum_sha256: string | undefined
  expires_at: number
  /** Until when the URL holds that was signed last. */
  url_until: number
  in_parts: boolean
  /** Where its only part goes, once that was asked for; what arrived there last; what was recorded of it. */
  part: {
    url: string | null
    etag: string | null
    content: string
    recorded: { part_number: 1; etag: string; checksum_sha256?: string | undefined } | null
  }
  file_id: string | null
  replaces: boolean
  /** `changes` of the file that the client wants to replace. */
  expected: number | null
  asset_id: string | null
  asset_type: string | null
  name: string | null
  visibility: string | null
  /** What it says of a new asset, and what is new in its version. */
  page: Page
  notes: string | null
  builds: Builds
  /** The platform of its content. */
  platform: string | null
  /** The version whose variant it becomes; null: it becomes a version. */
  variant_of: number | null
  version: number | null
}

/** The builds of the game that can read a version. */
export interface Builds {
  min_build: number | null
  max_build: number | null
}

/** What an asset says of itself, as far as a request says it. */
export interface Page {
  description?: string
  tags?: string[]
  metadata?: Record<string, unknown>
  listed?: boolean
  rating?: Rating
}

/** For whom an asset is; null: nobody has said. */
export type Rating = 'everyone' | 'teen' | 'mature' | null

/** The claim `max_rating` of the tokens of a user: of one player of three. Undefined: they have none. */
export function boundOf(user: string): Rating | undefined {
  return user.startsWith('É-') ? 'teen' : undefined
}

export interface Asset {
  id: string
  owner_id: string
  type: string
  name: string
  visibility: string
  description: string
  tags: string[]
  metadata: Record<string, unknown>
  /** Whether its owner wants it in the catalogue. */
  listed: boolean
  rating: Rating
  published_at: number | null
  /** The same, also while it is private. */
  public_since: number | null
  private_since: number | null
  /** The content that is its preview. */
  preview: string | null
  preview_width: number | null
  preview_height: number | null
  /** How many users like it, the last; and what its record may still say. */
  favorites: number[]
  blocked: boolean
  /** A moderator keeps it out of the catalogue. */
  unlisted: boolean
  /** The lowest rating that it can have, since a moderator rated it. */
  rating_locked: Rating
  /** What the last decision does to it, or one about the source of an own branch; undefined: there was none. */
  measure: Measure | undefined
  branched_from: string | null
  created_at: number
  updated_at: number
  /** Milliseconds. */
  deleted_at: number | null
  /** The first first, without those that were deleted. */
  versions: Version[]
  /** By name. */
  channels: Map<string, Channel>
  /** How often the record has changed, as far as its ETag must tell. */
  changes: number
  /** The ETags that have been seen, by `changes`. */
  etags: Record<number, string>
  /** How many of the changes only the owner sees, and when the last one was. */
  unseen: number
  unseen_at: number | null
  /** The ETags that others have seen, by the changes that they see. */
  etags_of_others: Record<number, string>
  /** The highest version that others were served, as of the last change of `live`. */
  released: number
}

/** A channel of an asset: `live` has no key. */
export interface Channel {
  version: number
  key: string | null
  updated_at: number
}

export interface Version extends Builds {
  id: string
  asset_id: string
  version: number
  size_bytes: number
  checksum_sha256: string | null
  notes: string | null
  created_at: number
  branched_from_asset_id: string | null
  branched_from_version: number | null
  platform: string | null
  /** By platform. */
  variants: Variant[]
  /** The platforms of deleted variants, which are not free again. */
  deleted_platforms: string[]
  /** The upload whose content it has. */
  content: string
}

/** The content of a version for a platform. */
export interface Variant {
  platform: string
  size_bytes: number
  checksum_sha256: string | null
  created_at: number
  /** The upload whose content it has. */
  content: string
}

export interface Notice {
  id: string
  type: string
  data: object
  state: 'unread' | 'read'
  created_at: number
  /** When it goes by its own time. */
  expires_at?: number | undefined
  /** The number of the announcement that it is. */
  announcement?: number
}

/** An announcement to all users. */
export interface Announcement {
  id: string
  type: string
  data: object
  expires_at: number
  created_at: number
  /** The version of the list that it began with. */
  number: number
  /** Its publisher with the Idempotency-Key, if there was one. */
  key: string | undefined
  request: string
}

/** A list of announcements at a version. */
export interface List {
  version: number
  announcements: Pick<Announcement, 'number' | 'type' | 'data' | 'expires_at'>[]
}

/** What an isolate has read of announcements: it tells inboxes for 60 s, and reads again after 30 s. */
interface Known {
  list: List | undefined
  read_ms: number
}

interface InboxEvent {
  type: string
  seq: number
  unread: number
  data: unknown
}

export interface Inbox {
  seq: number
  /** The oldest first. */
  notices: Notice[]
  events: InboxEvent[]
  /** What only open sockets were told: nothing keeps it. */
  signals: unknown[]
  /** The version of the announcements that it has taken in. */
  announced: number
  /** From where on events are kept, and how many were unread there. */
  base: { seq: number; unread: number }
}

/** An event that was not delivered. */
export interface UndeliveredEvent {
  id: string
  user_id: string
  created_at: number
  attempts: number
  parked_at: number | null
  last_error: string | null
  last_failed_at: number | null
}

/** What a decision does to an asset. */
interface Measure {
  action: string
  rating: Rating
  /** The owner's rating when a moderator rated it. */
  rating_before: Rating
  /** Whether a decision about the asset itself did it. */
  isOwn: boolean
}

/** What a report or a case is about. */
export interface CaseTarget {
  type: 'asset' | 'file' | 'user'
  id: string
}

export interface Case {
  target: CaseTarget
  /** null: erased */
  owner_id: string | null
  /** The first first. */
  decisions: Decision[]
  /** The id of the last decision, unless it was lifted. */
  in_force: string | null
  /** null: somebody has to look */
  decided_at: number | null
  /** The first first. */
  reports: Report[]
}

export interface Report {
  id: string
  reporter_id: string | null
  target: CaseTarget
  category: string
  text: string | null
  is_illegal: boolean
  created_at: number
  decided_at: number | null
  decision: Decision | null
}

export interface Decision {
  id: string
  target: CaseTarget
  name: string | null
  owner_id: string | null
  moderator_id: string
  action: 'none' | 'warn' | 'rate' | 'unlist' | 'block'
  ground: string
  rule: string | null
  statement: string
  note: string | null
  rating: Rating
  is_automated: boolean
  created_at: number
  lifted_at: number | null
  appealable_until: number
  appeal: Appeal | null
}

export interface Appeal {
  id: string
  decision_id: string
  by: 'owner' | 'reporter'
  user_id: string | null
  text: string
  state: 'open' | 'upheld' | 'reversed'
  answer: string | null
  created_at: number
  decided_at: number | null
}

interface Kept {
  request: string
  made: string
  at: number
}

export function now(world: World): number {
  return Math.floor(world.now_ms / 1000)
}

/** The `created_at` of what is made now: later than what of the user's has been erased. */
export function bornAt(world: World, user_id: string): number {
  return Math.max(now(world), (world.erased_until[user_id] ?? -1) + 1)
}

/** The `updated_at` of what is changed now: what was made right after an erasure has a `created_at` that lies ahead. */
export function changedAt(world: World, { created_at }: { created_at: number }): number {
  return Math.max(now(world), created_at)
}

/** The user's inbox; it has always been there. */
export function inboxOf(world: World, user_id: string): Inbox {
  const inbox = world.inboxes.get(user_id) ?? {
    seq: 0,
    notices: [],
    events: [],
    signals: [],
    announced: 0,
    base: { seq: 0, unread: 0 },
  }
  world.inboxes.set(user_id, inbox)
  return inbox
}

export function unreadIn({ notices }: Inbox): number {
  return notices.filter(({ state }) => state === 'unread').length
}

/** The world as it is now, for what may have been done to it. Contents are large, and don't change. */
export function copyOf({ keyed, objects, ...rest }: World): World {
  return { ...structuredClone(rest), keyed: [...keyed], objects: new Map(objects) }
}

/** A world in which nothing has happened yet. */
export function emptyWorld(begun: Pick<World, 'now_ms' | 'limits' | 'players' | 'operator'>): World {
  return {
    isBusy: false,
    limit_bytes: {},
    erased_until: {},
    items: new Map(),
    shares: new Map(),
    uploads: new Map(),
    assets: new Map(),
    favorites: new Map(),
    mutes: new Map(),
    pictures: new Map(),
    inboxes: new Map(),
    announcements: [],
    announced: 0,
    known: { list: undefined, read_ms: 0 },
    events: new Map(),
    cases: new Map(),
    reports: [],
    keys: new Map(),
    keyed: [],
    gone: [],
    releasing: new Map(),
    given_up: [],
    objects: new Map(),
    foreign: new Set(),
    urls: new Map(),
    ...begun,
  }
}
