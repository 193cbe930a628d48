import type { Answer } from '../../support/answer.ts'
import type { Operation } from './operations.ts'
import type { Found, Kind, Pool } from './pool.ts'
import type { ResolvedRequest } from './step.ts'

/** A request that was answered, and who sent it. */
export interface Exchange {
  number: number
  who: number | undefined
  /** The operation that it reached, if any. */
  operation: Operation | undefined
  request: ResolvedRequest
  answer: Answer
}

type Members = Record<string, unknown>

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Puts what an answer gave into the pool, and notes what has become of what the request was about. */
export function learn(pool: Pool, exchange: Exchange, people: string[]): void {
  const { number, who, operation, request, answer } = exchange
  if (who === undefined || !operation) return
  if (answer.status === 404) miss(pool, request.path, who)
  if (answer.status >= 300) return
  const person = (id: unknown) => {
    const index = people.indexOf(text(id) ?? '')
    return index < 0 ? undefined : index
  }
  const found: Found[] = []
  walk(answer.body, (record) => {
    const result = text(record.notification_id)
    if (result !== undefined && operation.id === 'publishNotifications')
      found.push({ value: result, kind: 'notification', owner: person(record.user_id) })
    const key = text(record.key)
    if (key !== undefined && 'channel' in record) found.push({ value: key, kind: 'channel key', owner: who })
    const value = text(record.id) ?? ''
    const kind = kindOf(record, operation, request.path, pool.entryOf(value)?.kind)
    if (!kind || value === '') return
    const file = isMembers(record.file) ? record.file : {}
    const recipient = operation.id === 'publishNotification' ? personIn(request.body) : undefined
    const owner = kind === 'notification' ? (recipient === undefined ? who : person(recipient)) : undefined
    found.push({
      value,
      kind,
      owner: owner ?? person(record.owner_id) ?? person(file.owner_id) ?? who,
      grantee: person(record.grantee_id),
      ...('current_version' in record && { of: `${record.type} ${record.visibility}` }),
      ...('is_public' in record && { of: record.is_public === true ? 'file public' : 'file' }),
    })
  })
  pool.learn(number, [...found, ...passing(exchange)])
  for (const segment of request.path.split(/[/?]/)) pool.touch(segment)
  note(pool, operation.id, request, who, people)
}

function walk(value: unknown, visit: (record: Members) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit)
  else if (isMembers(value)) {
    visit(value)
    for (const member of Object.values(value)) walk(member, visit)
  }
}

/** What its owner does not find has gone, so far as the round knows. */
function miss(pool: Pool, path: string, who: number): void {
  for (const segment of path.split(/[/?]/))
    if (pool.entryOf(segment)?.owner === who) pool.becomes(segment, 'gone')
}

/** What a record is, by its members. */
function kindOf(record: Members, { id }: Operation, path: string, known?: Kind): Kind | undefined {
  if (id === 'listUndeliveredEvents') return 'resource_id' in record ? 'event' : undefined
  if ('grantee_id' in record) return 'share'
  if ('appealable_until' in record) return 'decision'
  if ('first_reported_at' in record) return 'case'
  if ('is_illegal' in record) return 'report'
  if ('upload_type' in record) {
    if (record.state === 'processing') return record.processing_state === 'ready' ? 'sent' : 'checked upload'
    if (record.state !== 'open') return 'ended upload'
    return 'multipart' in record ? 'multipart' : 'upload'
  }
  if ('parent_id' in record) {
    if (id === 'listTrash') return 'trashed'
    if (record.asset_type === 'folder') return 'folder'
    if (record.processing_state === undefined) return known ?? 'file'
    return record.processing_state === 'ready' ? 'file' : 'pending file'
  }
  if ('current_version' in record) {
    if (path.includes('deleted=true')) return 'deleted asset'
    return record.current_version === 0 ? 'empty asset' : 'asset'
  }
  if ('asset_id' in record) return 'version'
  if ('without_earlier_count' in record) return 'recall'
  if (!('data' in record)) return undefined
  return /announcements/i.test(id) || id === 'publishAnnouncement' ? 'announcement' : 'notification'
}

/** What goes out of date: cursors, tags, bookmarks, the seq of an inbox. */
function passing({ who, request, answer }: Exchange): Found[] {
  const cursor = isMembers(answer.body) ? text(answer.body.next_cursor) : undefined
  const header = (name: string) => answer.headers.get(name) ?? undefined
  const all: [Kind, string | undefined][] = [
    ['cursor', cursor],
    ['etag', header('ETag')],
    ['bookmark', header('X-D1-Bookmark')],
    ['seq', header('X-Inbox-Seq')],
  ]
  const of = request.path.replace(/[?&]cursor=[^&]*/, '')
  return all.flatMap(([kind, value]) => (value === undefined ? [] : [{ kind, value, owner: who, of }]))
}

function personIn(body: string | undefined): string | undefined {
  const sent: unknown = JSON.parse(body ?? '{}')
  return isMembers(sent) ? text(sent.user_id) : undefined
}

/** What an operation makes of the thing in its path, where its answer does not say so. */
const outcomes: Record<string, Kind> = {
  deleteFile: 'trashed',
  purgeFile: 'gone',
  deleteAsset: 'deleted asset',
  revokeShare: 'gone',
  abortUpload: 'gone',
  deleteNotification: 'gone',
  deleteAnnouncement: 'gone',
}

function note(pool: Pool, operation: string, request: ResolvedRequest, who: number, people: string[]): void {
  const [path = '', query = ''] = request.path.split('?')
  const outcome = query.includes('permanent=true') ? 'gone' : outcomes[operation]
  if (outcome) pool.becomes(path.split('/').at(-1) ?? '', outcome)
  if (operation === 'setVerdict') pool.becomes(path.split('/').at(-2) ?? '', 'ended upload')
  if (operation === 'emptyTrash') pool.allBecome(['trashed'], who, 'gone')
  if (operation === 'eraseUser') {
    const erased = people.findIndex((id) => path.endsWith(`/${encodeURIComponent(id)}`))
    if (erased >= 0) pool.allBecome(undefined, erased, 'gone')
  }
}
