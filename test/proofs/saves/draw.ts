import type { SaveRules } from '../../../src/features/saves/rpc.ts'
import type { Act, Condition } from './act.ts'
import type { Model } from './model.ts'

const DAY = 86_400
const names = ['a', 'b', 'c', 'd', 'server.a', 'server.hidden.b'] as const

/** The next act of a sequence. */
export function draw(model: Model, random: () => number, done: readonly Act[]): Act {
  const below = (end: number) => Math.floor(random() * end)
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0]
  const known = model.names.at(below(4))
  const slot = (below(2) === 0 && known) || pick(names)
  const current = model.currentOf(slot) ?? 0
  const near = () => Math.max(1, current + below(4) - 2)
  const condition = (): Condition =>
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
  const ofMatch = (): Condition => pick([{}, {}, { if_match: [current] }, { if_match: [near()] }])
  const writer = () => pick([null, null, 'a server', 'an operator'])
  const dice = below(100)
  if (dice < 42)
    return {
      kind: 'write',
      slot,
      text: pick(['x', 'y']).repeat(below(7)),
      label: pick([null, null, 'L']),
      keep: below(2) === 0,
      idempotency_key: pick([null, null, `key ${done.length}`, `key ${below(done.length + 1)}`]),
      writer: writer(),
      ...condition(),
    }
  if (dice < 54)
    return { kind: 'restore', slot, revision: pick([undefined, near()]), writer: writer(), ...ofMatch() }
  if (dice < 63) return { kind: 'delete', slot, ...ofMatch() }
  const repeated = done.at(-1 - below(3))
  if (dice < 78 && repeated) return repeated
  if (dice < 82)
    return {
      kind: 'read',
      slot,
      revision: pick([undefined, near()]),
      ...pick([{}, { if_none_match: [current] }]),
    }
  if (dice < 86) return { kind: 'revisions', slot: slot }
  if (dice < 89) return { kind: 'time passes', seconds: pick([1, DAY, 2 * DAY]) }
  if (dice < 92) return { kind: pick(['alarm', 'eviction', 'eviction']) }
  if (dice === 92) return { kind: 'erase', mark: `mark ${String(below(done.length + 1)).padStart(4, '0')}` }
  if (dice < 96)
    return {
      kind: 'limits change',
      limits: pick<Partial<SaveRules>>([
        { max_slots: 1 + below(3) },
        { max_revisions: 1 + below(4) },
        { limit_bytes: 1 + below(16) },
        { max_days: below(4) },
        { of_servers: { max_slots: 1 + below(2), limit_bytes: 1 + below(10) } },
      ]),
    }
  return { kind: 'list', deleted: below(2) === 0 }
}
