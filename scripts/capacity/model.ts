/** The assumed use of the service by players. Options of the command change it; all other figures are measured. */

/**
 * The requests of an active player a day, by their names in requests.json. Of six files that are read, 2.5 that are replaced and
 * one in two days that is new, four in five have at most 1 MiB: saves, pictures, settings.
 */
export const day: Record<string, number> = {
  'list files': 10,
  'get a file': 3.6,
  'read the content of a file': 4.8,
  'download URL': 1.2,
  'replace the content of a file': 2,
  'start a replacing upload': 0.5,
  'complete a replacing upload': 0.5,
  'create a file with its content': 0.4,
  'start an upload': 0.1,
  'complete an upload': 0.1,
  'delete a file': 0.5,
  'rename a file': 0.5,
  'create a folder': 0.1,
  'list the trash': 0.2,
  'restore a file': 0.1,
  quota: 2,
  'share a file': 0.2,
  'revoke a share': 0.1,
  'shared with me': 2,
  'URL of a share': 0.5,
  'list own assets': 2,
  'get an asset': 3,
  'URL of a version': 2,
  browse: 3,
  search: 1,
  'show a preview': 30,
  'show a profile picture': 10,
  'start an upload of an asset': 0.05,
  'complete an upload of an asset': 0.05,
  'publish an asset': 0.03,
  'branch an asset': 0.05,
  'list the inbox': 2,
  'count unread': 3,
  'mark as read': 2,
  'open a socket': 3,
  'publish a notification': 3,
  'write a save': 10,
  'read a save': 1,
  'list saves': 1,
}

/** The rows of an ordinary player, by their names in rows.json. */
export const light: Record<string, number> = {
  user: 1,
  file: 12,
  share: 0.5,
  share_hint: 0.5,
  asset: 0.5,
  asset_published: 0.25,
  version: 0.75,
}

/** The rows of a player who makes content for others. */
export const creator: Record<string, number> = {
  user: 1,
  file: 30,
  share: 2,
  share_hint: 1,
  asset: 10,
  asset_published: 5,
  version: 20,
  branch_hint: 2,
}

/** Rows that a request leaves behind until the job removes them, and for how many days. */
export const left: Record<string, { kind: string; days: number }[]> = {
  'start an upload': [upload(), key()],
  'start a replacing upload': [upload(), key(), garbage()],
  'start an upload of an asset': [upload(), key()],
  'create a file with its content': [key()],
  'replace the content of a file': [garbage()],
  'delete a file': [{ kind: 'file', days: 0 }, garbage()],
  'create a folder': [key()],
  'share a file': [key()],
  'branch an asset': [key()],
}

/** The row of an ended upload stays for UPLOAD_TTL and a day (docs/operating.md). */
function upload() {
  return { kind: 'upload', days: 2 }
}

function key() {
  return { kind: 'idempotency_key', days: 1 }
}

/** The garbage row of replaced or deleted content stays for about an hour. */
function garbage() {
  return { kind: '', days: 0 }
}

/** The most alarms of an inbox that a request causes: when a socket's token expires, and when an idempotency key expires. */
export const alarms: Record<string, number> = { 'open a socket': 1, 'publish a notification': 1 }

/** The default of SAVE_REVISIONS: a slot that is written often has as many. */
export const REVISIONS_OF_SLOT = 5

/** The default of CONTENT_GRACE_DAYS: how long replaced content stays in R2. */
export const GRACE_DAYS = 7

/** Runs of the job a day, for each database. */
export const RUNS_OF_JOB = 288

/** Billed operations of a queue message: a write, a read and a delete. */
export const OPERATIONS_OF_MESSAGE = 3

/** Requests after which the client sends content directly to R2, and requests after which it fetches content. */
export const sends = ['start an upload', 'start a replacing upload', 'start an upload of an asset']
export const fetches = ['download URL', 'URL of a share', 'URL of a version']

/** Requests that the cache in front of the Worker may answer (src/platform/pictures/edge-cache.ts). */
export const cached = ['show a preview', 'show a profile picture']

/** Requests that ask the catalogue's database. */
export const asksCatalogue = ['browse', 'search']
