import { everyDatabase } from '../../support/databases.ts'
import { type Change, type Row, rowsOf, type Snapshot } from './snapshot.ts'

/** Something that a refused request may change, and why the contract wants it so. */
interface Exception {
  operation: string
  codes: string[]
  because: string
  allows: (change: Change, all: Change[]) => boolean
}

/** All there are: whatever else a refused request changes is a mistake of the service. */
const exceptions: Exception[] = [
  {
    operation: 'completeUpload',
    codes: ['UPLOAD_MISMATCH', 'ASSET_NOT_FOUND'],
    because:
      'it ends the upload as failed, so does its file, if it made one; it releases the bytes and removes the object (docs/conformance.md#uploads)',
    allows: endsUpload,
  },
  {
    operation: 'setVerdict',
    codes: ['UPLOAD_NOT_FOUND'],
    because:
      'nothing is to be checked any more when the asset is gone for good; the upload ends as at its completion (docs/content-check.md)',
    allows: endsUpload,
  },
  {
    operation: 'completeUpload',
    codes: ['UPLOAD_INCOMPLETE'],
    because:
      'the file was processing for a moment, so its ETag has changed twice (docs/conformance.md#files)',
    allows: ({ table, column }) => table === 'files' && column === 'revision',
  },
  {
    operation: 'completeUpload',
    codes: ['DUPLICATE_ASSET_NAME', 'PRECONDITION_FAILED', 'LIMIT_REACHED', 'UPLOAD_INCOMPLETE'],
    because:
      '`completing` is a note and no lock: every rule counts it as open, and it is shown as open (docs/architecture.md#writing-without-races)',
    allows: ({ table, column, before, after }) =>
      table === 'uploads' && column === 'state' && isOpen(before) && isOpen(after),
  },
  {
    operation: 'writeSave',
    codes: ['PRECONDITION_FAILED'],
    because:
      'with `keep=true` its bytes stay as a revision, and others may make room (docs/conformance.md#saves)',
    allows: keepsSave,
  },
  ...['blockAsset', 'blockFile'].map((operation) => ({
    operation,
    codes: ['FORBIDDEN'],
    because:
      'who decided may not block under an open appeal, and that is an act under a scope, which has an entry',
    allows: isEntry,
  })),
]

/** Whether a change is of a revision that keeps refused bytes, or of another of that user's that has made room for it. */
function keepsSave({ table, column, before, after }: Change, all: Change[]): boolean {
  const kept = all.map((change) => change.after).filter((row) => isRow(row) && row.is_kept === 1)
  const isForIt = (user_id: unknown) => kept.some((row) => isRow(row) && row.user_id === user_id)
  return (
    table === 'saves' &&
    column === 'row' &&
    (kept.includes(after) || (isRow(before) && isForIt(before.user_id)))
  )
}

/** Whether a change is of what an upload ends with that fails: its own row, its file, its bytes and its object. */
function endsUpload({ table, column, after }: Change): boolean {
  return (
    (table === 'uploads' && ['state', 'failure', 'failure_code'].includes(column)) ||
    (table === 'uploads' && isCleared(column, after)) ||
    (table === 'files' && (column === 'revision' || (column === 'processing_state' && after === 'failed'))) ||
    (table === 'usage' &&
      ['used_bytes', 'parts', 'open_uploads', 'ended_uploads', 'writable_keys', 'row'].includes(column)) ||
    (table === 'garbage' && column === 'row') ||
    (table === 'objects' && column === 'row' && after === undefined) ||
    (table === 'outbox' && column === 'row' && isRow(after) && after.type === 'upload.failed') ||
    (table === 'outbox_counts' && ['row', 'events'].includes(column))
  )
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}

/** What only an open upload needs, and what becomes of it when the upload ends. */
function isCleared(column: string, after: unknown): boolean {
  const isNull = ['expected_revisions', 'notes', 'page'].includes(column) && after === null
  return isNull || (column === 'parts' && after === '{}')
}

function isOpen(state: unknown): boolean {
  return state === 'open' || state === 'completing'
}

/** A refused act under a scope has an entry, with the status of the refusal (docs/helping-players.md#what-was-done). */
function isEntry({ table, column, before, after }: Change): boolean {
  const isNew = table === 'audit' && column === 'row' && before === undefined
  return isNew && isRow(after) && Number(after.status) >= 400
}

/** With several databases, a hint is written before a branch is restored, which may then be refused (docs/scaling.md). */
function isHint(operation: string, { table }: Change): boolean {
  return everyDatabase.length > 1 && operation === 'restoreAsset' && table === 'branch_hints'
}

/** With several databases, an asset is taken out of the catalogue before a change that may be refused: its mark brings it back. */
function isRemoval(operation: string, { table }: Change): boolean {
  return (
    everyDatabase.length > 1 &&
    /^(edit|delete)Asset$/.test(operation) &&
    /^catalogue_(marks|entries)$/.test(table)
  )
}

/** The changes that a look at an inbox has made and must not: it may take in announcements, and let go those that have ended. */
export function forbiddenToLook(changes: Change[], state: Snapshot): Change[] {
  const others = changes.filter(({ table, column, before, after }) => {
    if (table !== 'inbox') return true
    if (column !== 'row') return !['seq', 'total', 'unread'].includes(column)
    if (!isRow(after)) return !(isRow(before) && String(before.type).includes('.'))
    const isAnnounced = ({ type, data }: Row) => type === after.type && data === after.data
    return !rowsOf(state, 'announcements').some(isAnnounced)
  })
  const inboxes = new Set(changes.filter(({ column }) => column === 'seq').map(({ key }) => key))
  return inboxes.size > 1 ? changes : others
}

/** The changes that a refused request has made and must not. */
export function forbiddenChanges(operation: string, code: string, changes: Change[]): Change[] {
  const fitting = exceptions.filter(
    (exception) => exception.operation === operation && exception.codes.includes(code),
  )
  return changes.filter(
    (change) =>
      !(code !== 'FORBIDDEN' && isEntry(change)) &&
      !isHint(operation, change) &&
      !isRemoval(operation, change) &&
      !fitting.some(({ allows }) => allows(change, changes)),
  )
}
