import { databaseNames } from '../../support/databases.ts'
import type { Dice } from './dice.ts'
import type { JsonSchema } from './operations.ts'
import { type Entry, type Kind, type Pool, personReference } from './pool.ts'
import { hostile, isMembers, named, picture, type Value } from './values.ts'

/** What the description says too little about to make a valid request: which thing an id is of, and what goes together. */

const folders: Kind[] = ['folder']
const items: Kind[] = ['folder', 'file', 'pending file']
const uploads: Kind[] = ['upload', 'multipart', 'sent', 'checked upload', 'ended upload']
const assets: Kind[] = ['empty asset', 'asset']

/** The things that an operation is about, where not every one of its kind will do. */
const particular: Record<string, Kind[]> = {
  getContent: ['file'],
  getDownloadUrl: ['file'],
  listSharesOfFile: ['file'],
  createShare: ['file'],
  abortUpload: ['upload', 'multipart', 'sent', 'checked upload'],
  presignParts: ['multipart'],
  completeUpload: ['sent', 'multipart', 'checked upload'],
  setVerdict: ['checked upload'],
  restoreAsset: ['deleted asset'],
  branchAsset: ['asset'],
  rollBackAsset: ['asset'],
  listVersions: ['asset'],
  getVersion: ['asset'],
  getVersionUrl: ['asset'],
  deleteVersion: ['asset'],
  editVersion: ['asset'],
  setChannel: ['asset'],
  deleteChannel: ['asset'],
  listChannels: ['asset'],
  deleteVariant: ['asset'],
}

/** The things that ids in paths are of. */
const byPath: [start: string, kinds: Kind[]][] = [
  ['/v1/files/', items],
  ['/v1/trash/', ['trashed']],
  ['/v1/shares/', ['share']],
  ['/v1/uploads/', uploads],
  ['/v1/game/', assets],
  ['/v1/notifications/', ['notification']],
  ['/v1/announcements/', ['announcement']],
  ['/v1/recalls/', ['recall']],
  ['/v1/reports/', ['report']],
  ['/v1/decisions/', ['decision']],
  ['/v1/moderation/decisions/', ['decision']],
  ['/v1/moderation/cases/', ['case']],
]

/** The kinds of thing that the `id` in an operation's path is of; undefined when there is none. */
export function kindsFor({ id, path }: { id: string; path: string }): Kind[] | undefined {
  if (!path.includes('{id}')) return undefined
  return particular[id] ?? byPath.find(([start]) => path.startsWith(start))?.[1]
}

/** Things that could be taken for one another. */
const families: Kind[][] = [
  [...items, 'trashed'],
  uploads,
  [...assets, 'deleted asset', 'version'],
  ['share'],
  ['notification'],
  ['announcement'],
  ['recall'],
  ['report', 'case', 'decision'],
]

/** The kinds of thing that one could be taken for where a part of a request, by its name, is about files, assets, … */
export function familyFor(name: string, operation: { id: string; path: string }): Kind[] | undefined {
  const kind =
    name === 'id' ? kindsFor(operation)?.[0] : /parent_id|file_id|^ids$/.test(name) ? 'file' : 'asset'
  return families.find((family) => kind !== undefined && family.includes(kind))
}

/** Of the text "xxx", which is what content of three bytes is. */
const CHECKSUM = 'zS6wg3ybTJYsItL/i1RBt7RYBYh/BR05vxM7WDuvaGA='
const OTHER_CHECKSUM = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

const tags = ['castle', 'horror', 'maze']

/** How long the contents are: `PNG` is the length of the one picture that is sent, 1_000 is beyond the threshold. */
const PNG = 68
const sizes = [0, 1, 3, 3, PNG, 150, 1_000]

/** A value for a member or parameter that its schema tells too little about; undefined for all others. */
export function knownValue(pool: Pool, dice: Dice, who: number) {
  const own = (kinds: Kind[]) => (entry: Entry) => entry.owner === who && kinds.includes(entry.kind)
  const thing = (kinds: Kind[]) => pool.pick(dice, kinds, own(kinds))?.reference
  const makers: Record<string, (schema: JsonSchema) => Value | undefined> = {
    name: () => named(dice),
    from_display_name: () => named(dice),
    parent_id: () => (dice.chance(0.2) ? null : (thing(folders) ?? null)),
    file_id: () => thing(['file']) ?? 'x',
    asset_id: () => thing(assets) ?? 'x',
    grantee_id: () => personReference((who + 1 + dice.below(dice.chance(0.9) ? 4 : 5)) % 5),
    target: () => ({ type: 'asset', id: pool.pick(dice, assets)?.reference ?? 'x' }),
    // One that is in force is not known before it has been refused.
    replaces: () => (dice.chance(0.5) ? null : (pool.pick(dice, ['decision'])?.reference ?? null)),
    user_id: () => personReference(dice.below(5)),
    user_ids: () => [personReference(dice.below(5)), personReference(dice.below(5))],
    ids: () => [thing(['file']) ?? 'x', thing(items) ?? 'x', 'x'],
    picture_id: () => (dice.chance(0.3) ? null : (thing(['file']) ?? 'x')),
    notification_ids: () =>
      dice.chance(0.2) ? [] : [thing(['notification']) ?? 'x', thing(['notification']) ?? 'x'],
    from_version: () => dice.pick([1, 1, 1, 2]),
    version: () => dice.pick([1, 1, 1, 2]),
    channel: () => dice.pick(['live', 'live', 'beta']),
    channel_key: () => thing(['channel key']) ?? 'x',
    platform: () => dice.pick(['pc', 'pc', 'web']),
    build: () => dice.pick([0, 5, 9]),
    min_build: () => dice.pick([null, 0, 5]),
    max_build: () => dice.pick([null, 5, 9]),
    tags: () => tags.slice(dice.below(3), 1 + dice.below(3)),
    tag: () => [dice.pick(tags)],
    exclude_tag: () => (dice.chance(0.3) ? [dice.pick(tags)] : undefined),
    metadata: () => ({ [dice.marker()]: dice.below(9) }),
    description: () => `${named(dice)}\n${named(dice)}`,
    notes: () => named(dice),
    listed: () => dice.chance(0.8),
    expires_at: () => (dice.chance(0.3) ? null : 4_000_000_000),
    limit_bytes: () => dice.pick([null, null, 0, 3_000, 1_000_000]),
    size_bytes: () => dice.pick(sizes),
    mime_type: () => dice.pick(['text/plain', 'image/png', 'application/octet-stream', 'Image/PNG']),
    checksum_sha256: () => dice.pick([CHECKSUM, CHECKSUM, OTHER_CHECKSUM]),
    part_numbers: () => [1],
    // The filter of the inbox: asset types are an enumeration.
    type: (schema) => (schema.maxLength === undefined ? undefined : messageType(dice)),
    expires_in: () => dice.pick([3_600, 86_400, 90 * 86_400]),
    'if-match': () => pool.pick(dice, ['etag'], own(['etag']))?.reference ?? '*',
    // In the path of a save, and its conditions and metadata.
    slot: () => dice.pick(['auto', 'auto', 'manual', 'third']),
    'if-none-match': () => dice.pick(['*', '"1"', '"2"']),
    'save-device': () => encodeURIComponent(named(dice)),
    'save-label': () => encodeURIComponent(named(dice)),
    revision: () => dice.pick([1, 1, 2, 3, 4]),
    'idempotency-key': () => `key ${dice.chance(0.5) ? dice.below(2) : dice.marker()}`,
    after: () => pool.pick(dice, ['seq'], own(['seq']))?.reference ?? 0,
    is_public: () => dice.chance(0.75),
    q: () => dice.pick(['forest', 'fo', 'm', '城', 'deja', '🏰', dice.marker()]),
    cursor: () => undefined,
    // In a body: the event that an operator names.
    id: () => pool.pick(dice, ['event'])?.reference ?? 'x',
    database: () => dice.pick(databaseNames),
    first: () => partition(dice),
    last: () => partition(dice),
  }
  return (member: string, schema: JsonSchema) => makers[member]?.(schema)
}

/** Makes a valid body of what is valid member by member only. */
export function tidied(
  operation: string,
  body: Value,
  pool: Pool,
  dice: Dice,
  about: Entry | undefined,
): Value {
  if (operation === 'setPreview') return picture
  if (!isMembers(body)) return body
  if (operation === 'startUpload') return upload(body, dice)
  if (operation === 'movePartitions') return range(body)
  if (operation === 'resendEvents' || operation === 'discardEvents')
    return body.id === undefined ? { all: true } : { id: body.id }
  if (operation === 'publishNotification' || operation === 'publishNotifications')
    return { ...body, ...message(messageType(dice), dice) }
  if (operation === 'publishAnnouncement') return announcement(dice)
  // A time in which nobody has saved, in a round that is replayed either.
  if (operation === 'createRecall') return { ...body, from: 1, until: 2 }
  if (operation === 'deleteNotifications') return selection(body, dice)
  if (operation === 'writeCatalogue') return { ...body, after: null }
  if (operation === 'reconcilePage') return { ...body, after: '' }
  if (operation === 'setVerdict') return verdict(body, dice)
  if (operation === 'editFile' && Object.keys(body).length === 0) return { name: named(dice) }
  if (operation === 'editVersion' && Object.keys(body).length === 0) return { notes: named(dice) }
  if (operation === 'getAssetUrls') return itemsIn(body)
  if (operation === 'editAsset' && Object.keys(body).length === 0) return { visibility: 'public' }
  if (operation === 'presignParts' || operation === 'completeUpload') return parts(body, pool, dice, about)
  return body
}

/** Items that name a version, or a build. */
function itemsIn(body: { [member: string]: Value }): Value {
  const withoutBuild = (item: Value) => {
    if (!isMembers(item) || item.version === undefined) return item
    const { build, ...rest } = item
    return rest
  }
  return { ...body, items: Array.isArray(body.items) ? body.items.map(withoutBuild) : [] }
}

/** One of the five things that an upload can be for. */
function upload(body: { [member: string]: Value }, dice: Dice): Value {
  const { file_id, asset_id, name = named(dice), ...rest } = body
  const { parent_id, asset_type, visibility, checksum_sha256, ...others } = rest
  const {
    description = 'A castle.',
    tags = [],
    metadata = {},
    listed = true,
    notes = '',
    version,
    platform = 'pc',
    min_build = null,
    max_build = null,
    ...declared
  } = others
  const ofVersion = {
    notes,
    platform,
    ...(min_build !== null && { min_build }),
    ...(max_build !== null && { max_build }),
  }
  const isPicture = asset_type === 'profile_pic' || asset_type === 'emote'
  const mayBeEmpty = rest.upload_type === 'file' && !isPicture && file_id === undefined
  const size_bytes = declared.size_bytes === 0 && !mayBeEmpty ? 3 : (declared.size_bytes ?? 3)
  const withSum = size_bytes === 3 && checksum_sha256 !== undefined && { checksum_sha256 }
  const content = { ...declared, size_bytes, ...withSum }
  if (file_id !== undefined && file_id !== 'x') return { ...content, file_id }
  if (asset_id !== undefined && asset_id !== 'x')
    return { ...content, asset_id, ...(version === undefined ? ofVersion : { version, platform }) }
  if (rest.upload_type === 'game_asset')
    return {
      ...content,
      ...{ description, tags, metadata, listed },
      ...ofVersion,
      ...{ name, asset_type: asset_type ?? 'world', visibility: visibility ?? 'private' },
    }
  const picture = isPicture && { mime_type: 'image/png', size_bytes: dice.pick([PNG, PNG, 150]) }
  return { ...content, ...picture, name, parent_id: parent_id ?? null, asset_type: asset_type ?? 'file' }
}

const ownTypes = ['shop.gift', 'game.invitation']

/** One of the contract's types, or of the game's own. */
function messageType(dice: Dice): string {
  return dice.pick(['friend_request', 'friend_accepted', ...ownTypes])
}

/** What goes together in a notification. */
function message(type: string, dice: Dice): { [member: string]: Value } {
  const social = { from_user_id: dice.below(9), from_display_name: named(dice) }
  const own = dice.pick<Value>([{}, { gift: dice.marker() }, { [dice.marker()]: [hostile(dice)] }])
  return { type, data: ownTypes.includes(type) ? own : social }
}

/** An announcement that ends within the retention, and not before the round. */
function announcement(dice: Dice): Value {
  const expires_at = Math.floor(Date.now() / 1_000) + 86_400 * (1 + dice.below(80))
  return { ...message(dice.pick(ownTypes), dice), expires_at }
}

/** Exactly one of the ways to tell which notifications to delete. */
function selection({ notification_ids, state }: { [member: string]: Value }, dice: Dice): Value {
  if (notification_ids !== undefined && dice.chance(0.7)) return { notification_ids }
  return state === undefined ? { all: true } : { state: 'read' }
}

/** Three hexadecimal digits. */
function partition(dice: Dice): string {
  return dice.below(4_096).toString(16).padStart(3, '0')
}

/** The few partitions from the first on that the range has. */
function range(body: { [member: string]: Value }): Value {
  const first = Number.parseInt(String(body.first), 16)
  const last = Math.min(first + (Number.parseInt(String(body.last), 16) % 16), 0xfff)
  return { ...body, last: last.toString(16).padStart(3, '0') }
}

/** A verdict, with a reason if it needs one. */
function verdict(body: { [member: string]: Value }, dice: Dice): Value {
  const { verdict = 'ready', reason = named(dice) } = body
  return verdict === 'ready' ? { verdict } : { verdict, reason }
}

/** Parts that have arrived, of that upload. */
function parts(body: { [member: string]: Value }, pool: Pool, dice: Dice, about: Entry | undefined): Value {
  const { name, part_numbers } = body
  const arrived = pool.pick(dice, ['part'], ({ of }) => about !== undefined && of === about.value)
  const sent = arrived && [{ part_number: 1, etag: arrived.reference }]
  if (part_numbers !== undefined || body.uploaded !== undefined)
    return { part_numbers: part_numbers ?? [1], ...(sent && { uploaded: sent }) }
  return {
    ...(name !== undefined && dice.chance(0.3) && { name }),
    ...(sent && dice.chance(0.5) && { parts: sent }),
  }
}
