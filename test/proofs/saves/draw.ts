import type { SaveRules } from '../../../src/features/saves/rpc.ts'
import type { Act, Condition, Restore, Write } from './act.ts'
import type { Model } from './model.ts'

const DAY = 86_400
const HALF_DAY = DAY / 2
const names = ['a', 'b', 'c', 'd', 'server.a', 'server.hidden.b'] as const

/** What a sequence is mostly about. */
export type Theme = 'all' | 'recalls'

type Random = () => number
type Pick = <Item>(items: readonly [Item, ...Item[]]) => Item

/** The next act of a sequence. */
export function draw(theme: Theme, model: Model, random: Random, done: readonly Act[]): Act {
  const below = (end: number) => Math.floor(random() * end)
  const pick: Pick = (items) => items[below(items.length)] ?? items[0]
  const isDue = done.at(-1)?.isUnaware && below(4) > 0
  const isOfRecalls = isDue || below(theme === 'recalls' ? 5 : 40) === 0
  const act = isOfRecalls ? ofRecalls(model, below, pick, done) : ofSaves(theme, model, below, pick, done)
  const isUnaware = act.isUnaware || (model.rules.recalls && below(theme === 'recalls' ? 3 : 6) === 0)
  return isUnaware ? { ...act, isUnaware } : act
}

/** A recall, its end, a look ahead, or what an isolate does that has heard of it. */
function ofRecalls(model: Model, below: (end: number) => number, pick: Pick, done: readonly Act[]): Act {
  const { recalls = [], now } = model.rules
  const known = recalls[below(recalls.length)]
  const last = done.at(-1)
  if (known && last?.isUnaware && last.kind === 'write')
    return {
      kind: 'recalls are passed on',
      written: { slot: last.slot, revision: model.currentOf(last.slot) ?? 0 },
    }
  if (known && below(6) === 0) return { kind: 'recall ends', id: known.id }
  if (known && below(3) === 0) return { kind: 'forecast', id: known.id }
  if (known && below(6) === 0) return { kind: 'recalls are passed on', written: undefined }
  const times = model.times
  const from = (below(4) > 0 && times[below(times.length)]) || now - 1 - below(6) * HALF_DAY
  const until = Math.max(from + 1, Math.min(now, from + pick([1, HALF_DAY, DAY, 30 * DAY])))
  const number = done.length + 1
  const slots = pick([null, null, null, [pick(names), pick(names)]])
  return {
    kind: 'recall',
    recall: { id: `recall ${number}`, number, from, until, reverts_newer: below(2) === 0, slots },
  }
}

function ofSaves(
  theme: Theme,
  model: Model,
  below: (end: number) => number,
  pick: Pick,
  done: readonly Act[],
): Act {
  const known = model.names.at(below(theme === 'recalls' ? 2 : 4))
  const slot = (below(theme === 'recalls' ? 5 : 2) > 0 && known) || pick(names)
  const current = model.currentOf(slot) ?? 0
  const near = () => Math.max(1, current + below(4) - 2)
  const anyCondition = (): Condition =>
    pick<() => Condition>([
      () => ({}),
      () => ({ if_match: [current] }),
      () => ({ if_match: [near()] }),
      () => ({ if_match: [near(), near()] }),
      () => ({ if_match: null }),
      () => ({ if_none_match: null }),
      () => ({ if_none_match: [near()] }),
      () => ({ if_match: [near()], if_none_match: [near()] }),
    ])()
  const fitting = () => pick<Condition>([{}, current > 0 ? { if_match: [current] } : { if_none_match: null }])
  const condition = () => (theme === 'recalls' && below(4) > 0 ? fitting() : anyCondition())
  const ofMatch = (): Condition => pick([{}, {}, { if_match: [current] }, { if_match: [near()] }])
  const writer = () => pick([null, null, 'a server', 'an operator'])
  const write = (): Write => ({
    kind: 'write',
    slot,
    text: pick(['x', 'y']).repeat(below(7)),
    label: pick([null, null, 'L']),
    keep: below(2) === 0,
    idempotency_key: pick([null, null, `key ${done.length}`, `key ${below(done.length + 1)}`]),
    writer: writer(),
    ...condition(),
  })
  const restore = (): Restore => {
    return { kind: 'restore', slot, revision: pick([undefined, near()]), writer: writer(), ...ofMatch() }
  }
  const timePasses = (): Act => {
    return { kind: 'time passes', seconds: pick([1, HALF_DAY, HALF_DAY, DAY, 2 * DAY]) }
  }
  const lessRoom = (): Act => {
    return { kind: 'limits change', limits: { limit_bytes: pick([2, 4, 8, 60, 60]) } }
  }
  // The old device whose write comes to an isolate that has not heard of the recall.
  if (done.at(-1)?.kind === 'recall' && current > 0 && below(2) === 0)
    return {
      ...write(),
      if_match: [current],
      if_none_match: undefined,
      idempotency_key: null,
      isUnaware: true,
    }
  if (theme === 'recalls' && below(3) === 0)
    return pick([write, write, write, timePasses, timePasses, lessRoom])()
  const dice = below(100)
  if (dice < 42) return write()
  if (dice < 54) return restore()
  if (dice < 67) return { kind: 'delete', slot, ...ofMatch() }
  const repeated = done.at(-1 - below(3))
  if (dice < 78 && repeated && repeated.kind !== 'recall') return repeated
  if (dice < 82)
    return {
      kind: 'read',
      slot,
      revision: pick([undefined, near()]),
      ...pick([{}, { if_none_match: [current] }]),
    }
  if (dice < 86) return { kind: 'revisions', slot: slot }
  if (dice < 89) return timePasses()
  if (dice < 92) return { kind: pick(['alarm', 'eviction', 'eviction']) }
  if (dice === 92) return { kind: 'erase', mark: `mark ${String(below(done.length + 1)).padStart(4, '0')}` }
  if (dice < 96)
    return {
      kind: 'limits change',
      limits: pick<Partial<SaveRules>>([
        { max_slots: 1 },
        { max_slots: 1 + below(3) },
        { max_revisions: 1 + below(4) },
        { limit_bytes: 1 + below(16) },
        { max_days: below(4) },
        { of_servers: { max_slots: 1 + below(2), limit_bytes: 1 + below(10) } },
      ]),
    }
  return { kind: 'list', deleted: below(2) === 0 }
}
