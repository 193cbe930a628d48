import type { Dice } from './dice.ts'
import { type Draft, placesOf, written } from './draft.ts'
import { forged } from './forged.ts'
import { familyFor, kindsFor, knownValue, tidied } from './known.ts'
import type { Operation } from './operations.ts'
import { ORDINARY, type Person } from './people.ts'
import { type Entry, type Kind, type Pool, personReference } from './pool.ts'
import { spoilt } from './raw.ts'
import { smuggled } from './smuggle.ts'
import type { Event, RequestStep, Step } from './step.ts'
import { hostile, near, valid } from './values.ts'
import { intents, weights } from './weights.ts'

/** Makes up the steps of a round, each from what the answers before have given. */
export class Generator {
  readonly #dice: Dice
  readonly #operations: Operation[]
  readonly #people: Person[]
  readonly #pool: Pool
  readonly #made: RequestStep[] = []
  #number = 0
  /** What a client does next with what it was given. */
  #next: Omit<Event, 'number'>[] = []

  constructor(dice: Dice, operations: Operation[], people: Person[], pool: Pool) {
    this.#dice = dice
    this.#operations = operations
    this.#people = people
    this.#pool = pool
  }

  next(): Step {
    const number = this.#number++
    const event = this.#next.shift() ?? this.#chance()
    if (event) return { number, ...event }
    const step = this.#request(number)
    this.#made.push(step)
    return step
  }

  /** Takes note of an upload whose content can be sent: of most it is. */
  sendable(upload: string): void {
    const entry = this.#pool.entryOf(upload)
    const event = entry?.kind === 'multipart' ? 'a part is sent' : 'content is sent'
    if (!entry) return
    if (this.#dice.chance(0.2))
      this.#next.push({ event, to: entry.reference, headers: smuggled(this.#dice, this.#pool) })
    if (this.#dice.chance(0.85)) this.#next.push({ event, to: entry.reference })
  }

  #chance(): Omit<Event, 'number'> | undefined {
    const dice = this.#dice
    if (!dice.chance(0.015)) return undefined
    const share = this.#pool.pick(dice, ['share'])
    const upload = this.#pool.pick(dice, ['upload', 'sent', 'multipart'])
    const ended = this.#pool.pick(dice, ['ended upload'])
    return dice.pick<Omit<Event, 'number'>>([
      { event: 'the job runs', to: '' },
      { event: 'events are parked', to: '' },
      ...(share ? [{ event: 'a share expires' as const, to: share.reference }] : []),
      ...(upload ? [{ event: 'an upload expires' as const, to: upload.reference }] : []),
      ...(ended
        ? [{ event: 'content is sent' as const, to: ended.reference, headers: smuggled(dice, this.#pool) }]
        : []),
    ])
  }

  #request(number: number): RequestStep {
    const dice = this.#dice
    const { intent } = dice.weighted(intents, ({ weight }) => weight)
    const earlier = dice.maybe(this.#made)
    if (intent === 'again' && earlier)
      return {
        ...earlier,
        number,
        ...(dice.chance(0.3) && { who: dice.below(this.#people.length) }),
        intent: 'again',
      }
    const draft = this.#valid()
    if (intent === 'other’s') this.#confuse(draft)
    if (intent === 'near' || intent === 'hostile')
      for (let changes = intent === 'near' || dice.chance(0.6) ? 1 : 3; changes > 0; changes--)
        this.#change(draft, intent)
    // What takes nothing can only be refused to nobody.
    const isBare = intent !== 'valid' && intent !== 'again' && placesOf(draft).length === 0
    if (isBare && dice.chance(0.5)) draft.who = undefined
    const step = written(draft, number, intent)
    return intent === 'raw' ? spoilt(step, dice) : step
  }

  /** A request that ought to succeed, as far as can be told from what the answers have given. */
  #valid(): Draft {
    const dice = this.#dice
    const { operation, about } = this.#undertaking()
    const who = this.#caller(operation, about)
    const known = knownValue(this.#pool, dice, who)
    const draft: Draft = { operation, who, path: {}, query: {}, headers: {}, body: undefined }
    for (const { name, in: where, schema, required } of operation.parameters) {
      if (where === 'path')
        draft.path[name] =
          name === 'id'
            ? (about?.reference ?? 'x')
            : name === 'type' && about
              ? (about.of.split(' ')[0] ?? '')
              : valid(schema, dice, known, name)
      else if (name !== 'cursor' && (required || dice.chance(0.25))) {
        const values = where === 'query' ? draft.query : draft.headers
        values[name] = valid(schema, dice, known, name)
      }
    }
    if (operation.id === 'openSocket' && dice.chance(0.9)) draft.headers.Upgrade = 'websocket'
    if (operation.parameters.some(({ name }) => name === 'cursor') && dice.chance(0.7)) this.#goOn(draft)
    const bookmark = dice.chance(0.05) && this.#pool.pick(dice, ['bookmark'])
    if (bookmark) draft.headers['X-D1-Bookmark'] = bookmark.reference
    if (operation.body && (operation.isBodyRequired || dice.chance(0.6)))
      draft.body = tidied(operation.id, valid(operation.body, dice, known), this.#pool, dice, about)
    return draft
  }

  /** An operation, with a thing that it can be about, if there is one. */
  #undertaking(): { operation: Operation; about: Entry | undefined } {
    const dice = this.#dice
    for (let tries = 0; ; tries++) {
      const operation = dice.weighted(this.#operations, ({ id }) => weights[id] ?? 1)
      const kinds = kindsFor(operation)
      const shown = kinds && isForAll(operation) && dice.chance(0.4) && this.#pool.pick(dice, kinds, isPublic)
      const about = shown || (kinds && this.#pool.pick(dice, kinds, fits(operation.id)))
      if (about || !kinds || tries === 5) return { operation, about }
    }
  }

  #caller(operation: Operation, about: Entry | undefined): number {
    const dice = this.#dice
    const [scope] = operation.scopes
    if (scope !== undefined && dice.chance(0.85)) return this.#holderOf(scope)
    if (operation.id === 'getSharedUrl' && dice.chance(0.7)) return about?.grantee ?? 0
    const mayOthers =
      about?.of.endsWith(' public') && (operation.method === 'GET' || operation.id === 'branchAsset')
    if (mayOthers && dice.chance(0.5)) return dice.below(ORDINARY)
    return about?.owner ?? dice.below(dice.chance(0.9) ? ORDINARY : this.#people.length)
  }

  /** Who has the scope. Without anybody, the operation would only ever be refused. */
  #holderOf(scope: string): number {
    const holder = this.#people.findIndex(({ scopes }) => scopes.includes(scope))
    if (holder < 0) throw new Error(`nobody in people.ts has the scope ${scope}`)
    return holder
  }

  /** The list from its beginning in small pages, or the next page. */
  #goOn(draft: Draft): void {
    const dice = this.#dice
    const { pattern, id } = draft.operation
    const cursor = this.#pool.pick(dice, ['cursor'], ({ of }) => pattern.test(of.split('?')[0] ?? ''))
    if (dice.chance(0.15)) draft.query = { cursor: forged(dice, id) }
    else if (!cursor || dice.chance(0.4)) draft.query.limit = 1
    else {
      const named = (value: string) => this.#pool.entryOf(value)?.reference ?? value
      const [path = '', query] = cursor.of.split('?')
      const [, about] = pattern.exec(path) ?? []
      if (about !== undefined) draft.path.id = named(about)
      const asked = [...new URLSearchParams(query)].map(([name, value]) => [name, named(value)])
      draft.who = cursor.owner
      draft.query = { ...Object.fromEntries(asked), cursor: cursor.reference }
    }
  }

  /** Someone else asks, or one thing is another: somebody else's, one that has gone, one of another kind. */
  #confuse(draft: Draft): void {
    const dice = this.#dice
    const { path, operation } = draft
    if (dice.chance(0.5)) {
      const among = dice.chance(0.85) ? ORDINARY : this.#people.length
      draft.who = ((draft.who ?? 0) + 1 + dice.below(among - 1)) % among
    }
    if ('id' in path && dice.chance(0.4)) {
      const kinds = dice.pick([kindsFor(operation), familyFor('id', operation)])
      path.id = this.#pool.pick(dice, dice.chance(0.8) ? kinds : undefined)?.reference ?? 'x'
    } else if (dice.chance(0.5)) this.#change(draft, 'other’s')
  }

  /** Makes one part of a request another. */
  #change(draft: Draft, how: 'near' | 'hostile' | 'other’s'): void {
    const dice = this.#dice
    const place = dice.maybe(placesOf(draft))
    if (!place) return
    if (how === 'other’s') {
      const kinds: Kind[] | undefined = dice.chance(0.3)
        ? ['cursor', 'etag', 'bookmark', 'seq', 'part']
        : undefined
      const entry =
        dice.chance(0.5) && /_id$|^ids$/.test(place.name)
          ? this.#pool.pick(dice, familyFor(place.name, draft.operation), ({ owner }) => owner === draft.who)
          : this.#pool.pick(dice, place.name === 'cursor' ? ['cursor'] : kinds)
      place.replace(entry?.reference ?? personReference(dice.below(this.#people.length)))
    } else if (how === 'near') {
      if (place.remove && dice.chance(0.15)) place.remove()
      else place.replace(near(place.schema, dice))
    } else
      place.replace(
        place.name === 'cursor' && dice.chance(0.5) ? forged(dice, draft.operation.id) : hostile(dice),
      )
  }
}

/** What a thing must be like, beside its kind, for an operation to succeed with it. */
function fits(operation: string): (entry: Entry) => boolean {
  if (operation === 'getSharedUrl') return ({ grantee }) => grantee !== undefined
  return operation === 'getPublicAsset' ? isPublic : () => true
}

function isPublic({ of }: Entry): boolean {
  return of.endsWith(' public')
}

/** Whether what is public is there for everybody in this operation. */
function isForAll({ id, method }: Operation): boolean {
  return method === 'GET' || id === 'branchAsset'
}
