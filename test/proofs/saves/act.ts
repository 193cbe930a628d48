import { vi } from 'vitest'
import type { RecallReport } from '../../../src/features/saves/recalls/report.ts'
import type { Recall } from '../../../src/features/saves/recalls/row.ts'
import type { SaveCondition, SaveRules, UnawareWrite } from '../../../src/features/saves/rpc.ts'
import type { Saves } from '../../../src/features/saves/saves.ts'
import { hasTables } from '../../../src/platform/lib/durable-object.ts'
import { writeOf } from '../../support/saves-object.ts'

/** The condition of an act. */
export type Condition = SaveCondition

/** Who sends a request; null: the player. */
interface Sent {
  writer: string | null
}

/** Bytes, as a text, and what comes with them. */
export interface Write extends Condition, Sent {
  kind: 'write'
  slot: string
  text: string
  label: string | null
  keep: boolean
  idempotency_key: string | null
}

export interface Restore extends Condition, Sent {
  kind: 'restore'
  slot: string
  revision: number | undefined
}

/**
 * Something that is done to the saves of a player, or happens to their object. `isUnaware`: the isolate of the request knows no
 * recall.
 */
export type Act = { isUnaware?: boolean } & (
  | Write
  | Restore
  | ({ kind: 'delete'; slot: string } & Condition)
  | ({ kind: 'read'; slot: string; revision: number | undefined } & Condition)
  | { kind: 'list'; deleted: boolean }
  | { kind: 'revisions'; slot: string }
  | { kind: 'erase'; mark: string }
  | { kind: 'time passes'; seconds: number }
  | { kind: 'limits change'; limits: Partial<SaveRules> }
  | { kind: 'alarm' | 'eviction' }
  | { kind: 'recall'; recall: Recall }
  | { kind: 'recall ends'; id: string }
  | { kind: 'recalls are passed on'; written: UnawareWrite | undefined }
  | { kind: 'forecast'; id: string }
)

/** What an act has come to. */
export interface Outcome {
  answer: unknown
  /** The lists of slots and of deleted slots, as the player and as the studio sees them. */
  lists: unknown[]
  rows: { slot: string; revision: number; text: string }[]
  reports: Omit<RecallReport, 'id'>[]
}

/** Does an act in the object, and looks at everything. */
export async function perform(
  object: Saves,
  storage: DurableObjectStorage,
  act: Act,
  given: SaveRules,
): Promise<Outcome> {
  const { recalls = [], ...rules } = given
  const knows = !act.isUnaware && recalls.length > 0
  const answer = await call(object, act, knows ? given : rules)
  const all = { ...rules, shows_all: true }
  const lists = [rules, all].flatMap((some) => [object.list(false, some), object.list(true, some)])
  const rows = hasTables(storage) ? storage.sql.exec<Outcome['rows'][0]>(ROWS).toArray() : []
  const account = storage.kv.get<{ reports?: RecallReport[] }>('account')
  const reports = (account?.reports ?? []).map(({ id: _, ...report }) => report)
  return { answer, lists, rows, reports }
}

const ROWS = 'SELECT slot, revision, CAST(bytes AS TEXT) AS text FROM revisions'

function call(object: Saves, act: Act, rules: SaveRules): unknown {
  if (act.kind === 'write') {
    const { keep, idempotency_key } = act
    const write = writeOf(act.slot, act.text, { ...conditionOf(act), keep, idempotency_key })
    const labelled = { ...write, content: { ...write.content, label: act.label } }
    return act.writer === null ? object.write(labelled, rules) : object.writeFor(act.writer, labelled, rules)
  }
  if (act.kind === 'restore')
    return act.writer === null
      ? object.restore(act.slot, act.revision, conditionOf(act), rules)
      : object.restoreFor(act.writer, act.slot, act.revision, conditionOf(act), rules)
  if (act.kind === 'delete') return object.remove(act.slot, conditionOf(act), rules)
  if (act.kind === 'list') return object.list(act.deleted, rules)
  if (act.kind === 'revisions') return object.revisions(act.slot, rules)
  if (act.kind === 'erase') return object.erase(act.mark)
  if (act.kind === 'recalls are passed on') return object.recall(rules, act.written)
  if (act.kind === 'forecast') {
    const own = rules.recalls?.find(({ id }) => id === act.id)
    const recalls = (rules.recalls ?? []).filter(({ number }) => number <= (own?.number ?? 0))
    const { is_applied, slots } = object.forecast(act.id, { ...rules, recalls })
    return { is_applied, slots: slots.toSorted((one, other) => (one.slot < other.slot ? -1 : 1)) }
  }
  if (act.kind === 'alarm') {
    vi.setSystemTime(rules.now * 1_000)
    return object.alarm()
  }
  if (act.kind !== 'read') return undefined
  const read = object.read(act.slot, act.revision, conditionOf(act), rules)
  return 'bytes' in read ? { ...read, bytes: read.bytes && new TextDecoder().decode(read.bytes) } : read
}

function conditionOf({ if_match, if_none_match }: Condition): Condition {
  return { if_match, if_none_match }
}
