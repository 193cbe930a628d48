import type { Call } from './bindings.ts'
import { effects, type Fault, type Faults, flavours, read, replies, written } from './fault.ts'
import type { Trouble } from './trial.ts'

const once = (at: number, fault: Fault): Faults[] => [new Map([[at, fault]])]

/** What each kind of call of an operation has met in a short run, in all circumstances. */
export type Met = Set<string>

/**
 * Each of the calls that a request makes, with each of the things that can befall it; alike whenever it is asked. With `met`, for
 * a short run: each kind of call with each effect once in an operation, by one of the replies, but late either after the retry or,
 * by `troublesAgain`, before it; in a further circumstance one call with one of them. `turn` says which.
 */
export function* troubles(
  calls: Call[],
  { isRead = false, met, turn = 0 }: { isRead?: boolean; met?: Met; turn?: number } = {},
): Generator<Trouble> {
  if (met) yield* fewTroubles(calls, { isRead, met, turn })
  else for (const [index, call] of calls.entries()) yield* troublesOf(call, index + 1, isRead, turn)
}

/** What a kind of call has not met yet, spread over the calls of this kind; when all have met all, one trouble of one call. */
function* fewTroubles(
  calls: Call[],
  { isRead, met, turn }: { isRead: boolean; met: Met; turn: number },
): Generator<Trouble> {
  let isNew = false
  for (const [index, call] of calls.entries()) {
    const unmet = fewOf(call, index + 1, isRead, turn).filter(({ name }) => !met.has(name))
    const alike = calls.slice(index).filter(({ site }) => site === call.site).length
    for (const { name, trouble } of unmet.slice(0, Math.ceil(unmet.length / alike))) {
      isNew = true
      met.add(name)
      yield trouble
    }
  }
  const at = turn % calls.length
  const call = calls[at]
  const few = call ? fewOf(call, at + 1, isRead, turn) : []
  const one = few[turn % few.length]
  if (!isNew && one) yield one.trouble
}

/** Calls that read: whether they take effect, and when, makes no difference. */
const READS = /^(D1 reads?|R2 (head|get|list|content)|INBOX (list|counts)|SAVES (list|read|revisions))$/

/** What one read of rows has met, another need not meet in the same operation. */
const kindOf = (site: string) => site.replace('reads', 'read')

/** The name, in `Met`, of what a kind of call meets once: that it is late after the retry, or before one that fails. */
const late = (site: string) => `${kindOf(site)} late`

/** One trouble for each effect, by one of the replies, so that all operations together meet each of them. A read has one effect. */
function fewOf(call: Call, at: number, isRead: boolean, turn: number): { name: string; trouble: Trouble }[] {
  const { site } = call
  const all = [...troublesOf(call, at, isRead, turn)]
  const named = (effect: Fault['effect']) => ({ effect, name: `${kindOf(site)} ${effect}` })
  const few = [named('never')]
  if (!READS.test(site)) few.push(named('at once'))
  if (!READS.test(site) && (site.length + turn) % 2 === 0)
    few.push({ effect: 'after the retry', name: late(site) })
  return few.flatMap(({ effect, name }, place) => {
    const those = all.filter(({ faults: [first] }) => first?.get(at)?.effect === effect)
    const trouble = those[(turn + at + place) % those.length]
    return trouble ? [{ name, trouble }] : []
  })
}

function* troublesOf({ binding }: Call, at: number, isRead: boolean, turn: number): Generator<Trouble> {
  const every = Array.from({ length: flavours(binding) }, (_, flavour) => flavour)
  // How an inbox fails decides what is done about it; of the others, each call meets another error.
  for (const flavour of binding === 'INBOX' || binding === 'SAVES' ? every : [at + turn]) {
    yield { faults: once(at, { effect: 'never', reply: 'an error', flavour }) }
    if (!isRead) yield { faults: once(at, { effect: 'at once', reply: 'an error', flavour }) }
  }
  for (const effect of isRead ? (['never'] as const) : (['never', 'at once'] as const))
    yield { faults: once(at, { effect, reply: 'nothing', flavour: 0 }), givesUp: !isRead }
  if (isRead) return
  for (const effect of ['before the retry', 'after the retry'] as const)
    yield { faults: once(at, { effect, reply: 'nothing', flavour: 0 }) }
}

/**
 * Each of the calls that a request makes, late in the request and failing in its repetition: the repetition may be answered with
 * what the request has come to meanwhile, whatever becomes of its own calls. With `met`, each kind of call once in an operation,
 * unless it has been late after the retry.
 */
export function* troublesAgain(
  calls: Call[],
  { met, turn = 0 }: { met?: Met; turn?: number } = {},
): Generator<Trouble> {
  for (const [index, { site }] of calls.entries()) {
    if (met && (READS.test(site) || met.has(late(site)))) continue
    met?.add(late(site))
    const delayed = once(index + 1, { effect: 'before the retry', reply: 'nothing', flavour: 0 })
    const failing = once(index + 1, { effect: 'never', reply: 'an error', flavour: index + turn })
    yield { faults: [...delayed, ...failing] }
  }
}

/** Each call of a long run, with one of the things that a death would not show, in turn. In a short run the first of each site. */
export function* delays(calls: Call[], { isShort = false } = {}): Generator<Faults> {
  const met = new Set<string>()
  for (const [index, { site }] of calls.entries()) {
    if (isShort && met.has(site)) continue
    const turn = isShort ? met.size : index
    met.add(site)
    const effect = (['never', 'before the retry', 'after the retry'] as const)[turn % 3] ?? 'never'
    yield new Map([[index + 1, { effect, reply: 'nothing', flavour: 0 }]])
  }
}

/** Several things at once, in a request and in its repetitions, as chance has them. */
export function* manyTroubles(calls: Call[], random: () => number): Generator<Trouble> {
  const below = (end: number) => Math.floor(random() * end)
  const some = (at: number): Faults => {
    const faults = new Map<number, Fault>()
    // A request that has met a fault may go on to calls that it does not make otherwise.
    for (let more = true; more; at = 1 + below(calls.length + 3), more = random() < 0.5) {
      const effect = effects[below(effects.length)] ?? 'never'
      const reply = replies[below(replies.length)] ?? 'nothing'
      faults.set(at, { effect, reply, flavour: below(4) })
    }
    return faults
  }
  for (const [index] of calls.entries()) {
    const faults = [some(index + 1)]
    while (random() < 0.4) faults.push(some(1 + below(calls.length)))
    yield { faults, ...(random() < 0.25 && { givesUp: true }) }
  }
}

/** Trouble in words, which `troubleOf` understands. */
export function inWords({ faults, givesUp }: Trouble): string {
  return faults.map(written).join(' | ') + (givesUp ? ' | gives up' : '')
}

export function troubleOf(words: string): Trouble {
  const faults = words.split('|').filter((part) => part.includes('call'))
  return { faults: faults.map(read), givesUp: words.includes('gives up') }
}
