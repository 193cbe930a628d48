import type { RecallReport } from '../../../src/features/saves/recalls/report.ts'
import type { Recall } from '../../../src/features/saves/recalls/row.ts'
import type { SaveRules, SlotLimits, UnawareWrite } from '../../../src/features/saves/rpc.ts'
import type { Act, Condition, Restore, Write } from './act.ts'

const DAY = 86_400

interface Revision {
  revision: number
  text: string
  label: string | null
  is_kept: boolean
  /** The request that made it, if it had a condition. */
  request: string | undefined
  /** The Idempotency-Key of that request. */
  key: string | null
  /** Who wrote or restored it; null: the player. */
  writer: string | null
  /** The recall that made it, and when the content that it brought back was written. */
  recall?: { id: string; content_at: number }
  /** Whether that request made the slot. */
  is_first: boolean
  created_at: number
  updated_at: number
  /** Its place in the order in which revisions were made. A deletion puts the current one at the end. */
  age: number
}

interface Slot {
  name: string
  revisions: Revision[]
  last: number
  deleted_at: number | undefined
}

/** A revision that may go, and when its turn is: the lowest first. */
interface Candidate {
  slot: Slot
  revision: Revision
  turn: number
}

/**
 * The saves of a player as docs/conformance.md#saves and docs/decisions.md tell of them, in the plainest way, written without the
 * code of the service. Answers are those of the object; what it may choose is taken from its answer, and checked.
 */
export class Model {
  rules: SaveRules
  /** What has happened, and how often. */
  readonly met: Map<string, number>
  #slots: Slot[] = []
  #age = 0
  /** The highest number of each name since the last erasure, and of all before it: none may come again. */
  #issued = new Map<string, number>()
  #erased = 0
  #mark = ''
  /** The highest number of the recalls that have met something of their time. */
  #recalled = 0
  /** What recalls have come to, and no alarm has reported yet. */
  reports: Omit<RecallReport, 'id'>[] = []

  constructor(rules: SaveRules, met: Map<string, number>) {
    this.rules = rules
    this.met = met
  }

  /** The names of the slots that are there or can be restored. */
  get names(): string[] {
    return this.#slots.map(({ name }) => name)
  }

  /** All revisions, as they are stored. */
  get stored(): string[] {
    return this.#slots.flatMap(({ name, revisions }) =>
      revisions.map(({ revision, text }) => `${name} ${revision} ${text}`),
    )
  }

  /** When the revisions were written. */
  get times(): number[] {
    return this.#slots.flatMap(({ revisions }) => revisions.map(({ updated_at }) => updated_at))
  }

  currentOf(name: string): number | undefined {
    const slot = this.#slots.find((one) => one.name === name)
    return slot && current(slot).revision
  }

  /** The answer to an act. Undefined: any answer. `answered`: the revision in the object's answer. */
  answer(act: Act, answered: number | undefined): unknown {
    this.#expire()
    if (act.kind === 'recall')
      this.rules = { ...this.rules, recalls: [...(this.rules.recalls ?? []), act.recall] }
    if (act.kind === 'recall ends') {
      const recalls = this.rules.recalls?.filter(({ id }) => id !== act.id)
      this.rules = { ...this.rules, recalls }
    }
    if (act.kind === 'alarm') this.reports = []
    if (act.kind === 'forecast' && !act.isUnaware) return this.#forecast(act.id)
    const isCall = ['write', 'restore', 'delete', 'read', 'list', 'revisions'].includes(act.kind)
    if (isCall && !act.isUnaware) this.#recall(undefined)
    if (act.kind === 'recalls are passed on' && !act.isUnaware) this.#recall(act.written)
    if (act.kind === 'write') return this.#write(act, answered)
    if (act.kind === 'restore') return this.#restore(act)
    if (act.kind === 'delete') return this.#delete(act.slot, act)
    if (act.kind === 'read') return this.#read(act.slot, act.revision, act)
    if (act.kind === 'list') return this.list(act.deleted)
    if (act.kind === 'revisions') return this.#revisions(act.slot)
    if (act.kind === 'erase') this.#erase(act.mark)
    if (act.kind === 'time passes') this.rules = { ...this.rules, now: this.rules.now + act.seconds }
    if (act.kind === 'limits change') this.rules = { ...this.rules, ...act.limits }
    return undefined
  }

  get #pending(): Recall[] {
    return (this.rules.recalls ?? []).filter(({ number }) => number > this.#recalled)
  }

  /** What recalls come to for a slot, one after the other: the content that was current before each, if any of its time came after. */
  #fate(slot: Slot, recalls: Recall[], unaware: UnawareWrite | undefined) {
    const isUnaware = (one: Revision) =>
      unaware?.slot === slot.name &&
      unaware.revision === one.revision &&
      one === current(slot) &&
      one.request !== undefined
    const line = slot.revisions
      .filter((one) => !one.is_kept && !isUnaware(one))
      .map((one) => ({ one, time: one.recall?.content_at ?? one.updated_at }))
    const outcomes: { id: string; outcome: 'reverted' | 'kept' | 'without_earlier' }[] = []
    let by: string | undefined
    for (const { id, from, until, reverts_newer, slots } of recalls) {
      const isNamed = slots ? slots.includes(slot.name) : !isOfServers(slot.name)
      if (slot.deleted_at !== undefined || !isNamed) continue
      let before: (typeof line)[0] | undefined
      let isHit = false
      for (const content of line) {
        if (content.time < from) [before, isHit] = [content, false]
        else if (content.time < until) isHit = true
      }
      if (!isHit) continue
      const isPlayedOn = (line.at(-1)?.time ?? 0) >= until
      if (isPlayedOn && !reverts_newer) outcomes.push({ id, outcome: 'kept' })
      else if (!before) outcomes.push({ id, outcome: 'without_earlier' })
      else {
        outcomes.push({ id, outcome: 'reverted' })
        line.push(before)
        by = id
      }
    }
    return { slot, outcomes, by, to: by === undefined ? undefined : line.at(-1) }
  }

  #forecast(id: string): unknown {
    const of = this.rules.recalls?.find((one) => one.id === id)
    const until = this.#pending.filter(({ number }) => number <= (of?.number ?? 0))
    const fates = this.#slots.map((slot) => this.#fate(slot, until, undefined))
    const slots = fates.flatMap(({ slot, outcomes, to }) => {
      const found = outcomes.find((one) => one.id === id)
      if (!found || slot.name.startsWith('server.hidden.')) return []
      const to_revision = found.outcome === 'reverted' ? to?.one.revision : null
      return { slot: slot.name, outcome: found.outcome, revision: current(slot).revision, to_revision }
    })
    if (slots.length > 0) this.#note('forecast')
    const is_applied = of !== undefined && of.number <= this.#recalled
    return { is_applied, slots: slots.sort((one, other) => (one.slot < other.slot ? -1 : 1)) }
  }

  #recall(unaware: UnawareWrite | undefined): void {
    const pending = this.#pending
    const times = this.#slots.flatMap(({ revisions }) =>
      revisions.map(({ updated_at, recall }) => recall?.content_at ?? updated_at),
    )
    if (!pending.some(({ from, until }) => times.some((time) => from <= time && time < until))) return
    this.#recalled = Math.max(...pending.map(({ number }) => number))
    if (pending.length > 1) this.#note('several recalls at once')
    const byAge = this.#slots.toSorted((one, other) => current(one).age - current(other).age)
    const fates = byAge.map((slot) => this.#fate(slot, pending, unaware))
    for (const { id: recall_id } of pending) {
      const all = fates.flatMap(({ outcomes }) => outcomes.filter(({ id }) => id === recall_id))
      const count = (of: string) => all.filter(({ outcome }) => outcome === of).length
      const [slots, kept, without_earlier] = [count('reverted'), count('kept'), count('without_earlier')]
      if (all.length > 0) this.reports.push({ recall_id, slots, kept, without_earlier })
      if (slots > 0) this.#note('recall, reverted')
      if (kept > 0) this.#note('recall, kept')
      if (without_earlier > 0) this.#note('recall, without_earlier')
    }
    const spared = fates.flatMap(({ to }) => to?.one ?? [])
    for (const { slot, to, by } of fates) {
      if (!to || by === undefined) continue
      const { one: source, time: content_at } = to
      const { text, label, writer } = source
      if (source.recall) this.#note('recall of what a recall brought back')
      const added = {
        ...{ text, label, writer, is_kept: false, request: undefined, key: null, is_first: false },
        ...{ created_at: current(slot).created_at, recall: { id: by, content_at } },
      }
      const room = this.#room(this.#slots, slot, added, source, spared)
      if (!room) this.#note('recall, no room')
      const bounds = this.rules
      const free = { max_slots: 0, limit_bytes: Number.POSITIVE_INFINITY }
      this.rules = { ...bounds, ...free, of_servers: free }
      const removed = room ?? this.#room(this.#slots, slot, added, source, spared) ?? []
      this.rules = bounds
      if (unaware?.slot === slot.name && unaware.revision === current(slot).revision)
        this.#note('recall of an unaware write')
      this.#add(slot, added, removed)
    }
  }

  /** The list of slots, or of deleted ones, as the player or the studio sees it. */
  list(deleted: boolean, isOfStudio = false): unknown {
    const sorted = this.#sorted(deleted)
    const shown = sorted.filter(({ name }) => isOfStudio || !name.startsWith('server.hidden.'))
    const saves = shown.map((slot) => ({
      ...saveOf(slot, current(slot)),
      ...(deleted && { deleted_at: slot.deleted_at }),
    }))
    if (saves.length > 0) this.#note(deleted ? 'list of deleted' : 'list')
    if (shown.length < sorted.length) this.#note('list without a hidden slot')
    const [own, ofServers] = [false, true].map((isServer) => this.#used(this.#slotsOf(isServer)))
    return { saves, used_bytes: own, ...(isOfStudio && { server_used_bytes: ofServers }) }
  }

  /** The slots of the studio's servers, or the others. */
  #slotsOf(isServer: boolean): Slot[] {
    return this.#slots.filter(({ name }) => isOfServers(name) === isServer)
  }

  #limits(name: string): SlotLimits {
    return (isOfServers(name) ? this.rules.of_servers : undefined) ?? this.rules
  }

  #note(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }

  #live(name: string): Slot | undefined {
    return this.#slots.find((slot) => slot.name === name && slot.deleted_at === undefined)
  }

  #isFull(name: string): boolean {
    const live = this.#slotsOf(isOfServers(name)).filter(({ deleted_at }) => deleted_at === undefined)
    return live.length >= this.#limits(name).max_slots
  }

  #write(write: Write, answered: number | undefined): unknown {
    const live = this.#live(write.slot)
    const request = requestOf(write)
    const known = this.#written(write.idempotency_key)
    if (known) {
      const [slot, revision] = known
      const isSent = slot.name === write.slot && revision.request === request && hasContent(revision, write)
      if (!isSent) return this.#refusal('write', 'IDEMPOTENCY_KEY_REUSED')
      if (revision.is_kept) {
        this.#note('keep, repeated by key')
        const found = live && saveOf(live, current(live))
        return { error: 'PRECONDITION_FAILED', current: found, kept_revision: revision.revision }
      }
      const isPast = slot !== live || revision !== current(live)
      this.#note(isPast ? 'write, repeated by key after another' : 'write, repeated by key')
      return { save: saveOf(slot, revision), is_new: revision.is_first }
    }
    if (!holds(write, live && current(live).revision)) {
      if (live && isSame(current(live), write, request)) {
        this.#note('write, repeated')
        return { save: saveOf(live, current(live)), is_new: current(live).is_first }
      }
      return this.#refuse(live, write, request)
    }
    if (!live && this.#isFull(write.slot)) return this.#refusal('write', 'LIMIT_REACHED')
    const deleted = this.#slots.find(({ name }) => name === write.slot)
    const slot: Slot = live ?? { name: write.slot, revisions: [], last: 0, deleted_at: undefined }
    const others = this.#slots.filter((one) => one !== deleted)
    const created_at = live ? current(live).created_at : this.rules.now
    const { idempotency_key: key, writer } = write
    const added = { ...contentOf(write), is_kept: false, request, key, writer, is_first: !live, created_at }
    const removed = this.#room(live ? this.#slots : others, slot, added)
    if (!removed) return this.#full('write', slot, added.text)
    slot.last = deleted ? deleted.last : this.#lastOf(write.slot, answered)
    if (deleted && !live) this.#slots = [...others, slot]
    else if (!live) this.#slots.push(slot)
    this.#note(live ? 'write' : deleted ? 'write, ending a deleted slot' : 'write, new')
    const revision = this.#add(slot, added, removed)
    return { save: saveOf(slot, revision), is_new: !live }
  }

  /** The revision that a key has written, and its slot. A key is known as long as its revision is there. */
  #written(key: string | null): [Slot, Revision] | undefined {
    for (const slot of this.#slots)
      for (const revision of slot.revisions) if (key !== null && revision.key === key) return [slot, revision]
    return undefined
  }

  /** The number before the first one of a new slot, which the object chooses: above all that its name has ever had. */
  #lastOf(name: string, answered = 0): number {
    const had = this.#issued.get(name) ?? this.#erased
    const highest = Math.max(this.#erased, ...this.#issued.values())
    if (answered <= had || answered > highest + 1)
      throw new Error(`${name} begins at ${answered}, though it had ${had}, and the account ${highest}`)
    return answered - 1
  }

  #refuse(live: Slot | undefined, write: Write, request: string | undefined): unknown {
    const refused = { error: 'PRECONDITION_FAILED', current: live && saveOf(live, current(live)) }
    if (!live || !write.keep) return this.#noted('write', refused)
    const earlier = live.revisions.find((row) => row.is_kept && isSame(row, write, request))
    if (earlier) {
      this.#note('keep, repeated')
      return { ...refused, kept_revision: earlier.revision }
    }
    const { created_at } = current(live)
    const { idempotency_key: key, writer } = write
    const added = { ...contentOf(write), is_kept: true, request, key, writer, is_first: false, created_at }
    const removed = this.#room(this.#slots, live, added)
    this.#note(removed ? 'keep' : 'keep, no room')
    return removed ? { ...refused, kept_revision: this.#add(live, added, removed).revision } : refused
  }

  #restore(restore: Restore): unknown {
    const slot = this.#slots.find(({ name }) => name === restore.slot)
    if (!slot) return this.#refusal('restore', 'SAVE_NOT_FOUND')
    const before = current(slot)
    const request = requestOf(restore) && `${requestOf(restore)} restores ${restore.revision}`
    if (!holds(restore, before.revision)) {
      if (request === undefined || before.request !== request || before.writer !== restore.writer)
        return this.#noted('restore', { error: 'PRECONDITION_FAILED', current: saveOf(slot, before) })
      this.#note('restore, repeated')
      return { save: saveOf(slot, before) }
    }
    if (slot.deleted_at === undefined && restore.revision === undefined) {
      this.#note('restore, nothing')
      return { save: saveOf(slot, before) }
    }
    const wanted = restore.revision ?? before.revision
    const source = slot.revisions.find(({ revision }) => revision === wanted)
    if (!source) return this.#refusal('restore', 'SAVE_REVISION_NOT_FOUND')
    if (slot.deleted_at !== undefined && this.#isFull(slot.name))
      return this.#refusal('restore', 'LIMIT_REACHED')
    const { text, label } = source
    const { created_at } = before
    const { writer } = restore
    const added = { text, label, is_kept: false, request, key: null, writer, is_first: false, created_at }
    const removed = this.#room(this.#slots, slot, added, source)
    if (!removed) return this.#full('restore', slot, added.text)
    this.#note(slot.deleted_at === undefined ? 'restore' : 'restore of a deleted slot')
    slot.deleted_at = undefined
    return { save: saveOf(slot, this.#add(slot, added, removed)) }
  }

  #delete(name: string, condition: Condition): unknown {
    const slot = this.#live(name)
    if (!slot) return this.#refusal('delete', 'SAVE_NOT_FOUND')
    const last = current(slot)
    if (!holds(condition, last.revision))
      return this.#noted('delete', { error: 'PRECONDITION_FAILED', current: saveOf(slot, last) })
    slot.deleted_at = this.rules.now
    last.age = ++this.#age
    this.#note('delete')
    const deleted = this.#sorted(true).filter((one) => isOfServers(one.name) === isOfServers(name))
    for (const surplus of deleted.slice(this.#limits(name).max_slots)) {
      this.#note('a deleted slot beyond MAX_SAVE_SLOTS goes')
      this.#forget(surplus)
    }
    return {}
  }

  #read(name: string, revision: number | undefined, condition: Condition): unknown {
    const slot = this.#live(name)
    if (!slot) return this.#refusal('read', 'SAVE_NOT_FOUND')
    const wanted = revision ?? current(slot).revision
    const found = slot.revisions.find((one) => one.revision === wanted)
    if (!found) return this.#refusal('read', 'SAVE_REVISION_NOT_FOUND')
    const isKnown = !holds(condition, wanted)
    this.#note(isKnown ? 'read, known' : 'read')
    return { save: saveOf(slot, found), bytes: isKnown ? undefined : found.text }
  }

  #revisions(name: string): unknown {
    const slot = this.#live(name)
    if (!slot) return this.#refusal('revisions', 'SAVE_NOT_FOUND')
    const newest = slot.revisions.toSorted((one, other) => other.revision - one.revision)
    this.#note('revisions')
    const { revision } = current(slot)
    return {
      revisions: newest.map((one) => ({
        ...saveOf(slot, one),
        is_current: one.revision === revision,
        is_kept: one.is_kept,
      })),
    }
  }

  #erase(mark: string): void {
    const isOld = mark <= this.#mark
    this.#note(isOld ? 'erase, an old mark' : 'erase')
    if (isOld) return
    this.#mark = mark
    this.#erased = Math.max(this.#erased, ...this.#issued.values())
    this.#issued.clear()
    this.#slots = []
  }

  /** Slots, those that were written or deleted last first. */
  #sorted(deleted: boolean): Slot[] {
    return this.#slots
      .filter(({ deleted_at }) => (deleted_at !== undefined) === deleted)
      .sort((one, other) => current(other).age - current(one).age)
  }

  #used(slots: Slot[]): number {
    return slots.flatMap(({ revisions }) => revisions).reduce((sum, { text }) => sum + text.length, 0)
  }

  /** The refusal of a revision that has no room: the current ones of the other slots stay. */
  #full(kind: string, slot: Slot, text: string): unknown {
    const beside = this.#slotsOf(isOfServers(slot.name))
    const others = beside.filter((one) => one !== slot && one.deleted_at === undefined)
    const used_bytes = others.reduce((sum, one) => sum + current(one).text.length, 0)
    const { limit_bytes } = this.#limits(slot.name)
    const quota = { used_bytes, limit_bytes, needed_bytes: text.length }
    return this.#noted(kind, { error: 'QUOTA_EXCEEDED', quota })
  }

  /** What has to go so that a slot gets one more revision; undefined when that is not enough. */
  #room(
    all: Slot[],
    slot: Slot,
    added: { text: string; is_kept: boolean },
    source?: Revision,
    spared: Revision[] = [],
  ): Candidate[] | undefined {
    const { max_revisions } = this.rules
    const { limit_bytes } = this.#limits(slot.name)
    const slots = all.filter(({ name }) => isOfServers(name) === isOfServers(slot.name))
    const candidates = slots.flatMap((one): Candidate[] => {
      const isGone = one !== slot && one.deleted_at !== undefined
      const stays = isGone || (one === slot && !added.is_kept) ? undefined : current(one)
      const isSpared = (revision: Revision) => one !== slot && spared.includes(revision)
      const may = one.revisions.filter((revision) => revision !== stays && !isSpared(revision))
      const inOrder = [
        ...may.filter((row) => row !== source).sort(older),
        ...may.filter((row) => row === source),
      ]
      const beyond = one.revisions.length + (one === slot ? 1 : 0) - max_revisions
      return inOrder.map((revision, index) => {
        const ofDays = index < beyond ? 2 : 3
        const late = revision === source ? 4 : isGone ? Number(revision === current(one)) : ofDays
        return { slot: one, revision, turn: late * 1e9 + revision.age }
      })
    })
    const own = candidates.filter((candidate) => candidate.slot === slot)
    const beyond = Math.max(0, slot.revisions.length + 1 - max_revisions)
    if (beyond > own.length) return undefined
    const isOfDay = (revision: Revision) => this.#isLastOfDay(slot, revision)
    const removed = own.slice(0, beyond).filter(({ revision }) => !isOfDay(revision))
    if (removed.length < beyond) this.#note('a day keeps a revision')
    let used = this.#used(slots) + added.text.length
    for (const { revision } of removed) used -= revision.text.length
    for (const candidate of candidates.sort((one, other) => one.turn - other.turn))
      if (used > limit_bytes && !removed.includes(candidate)) {
        removed.push(candidate)
        used -= candidate.revision.text.length
        const kinds = ['a deleted slot', 'a deleted slot', 'what is beyond', 'a live slot', 'a live slot']
        this.#note(`room of ${kinds[Math.floor(candidate.turn / 1e9)]}`)
      }
    if (used > limit_bytes) return undefined
    if (removed.some(({ revision }) => revision === source)) this.#note('room of what is restored')
    return removed
  }

  /** Whether a revision is the last one that a slot had on one of the days that it keeps. */
  #isLastOfDay(slot: Slot, { is_kept, updated_at, revision }: Revision): boolean {
    const daysAgo = Math.floor(this.rules.now / DAY) - Math.floor(updated_at / DAY)
    if (is_kept || daysAgo < 1 || daysAgo > (this.rules.max_days ?? 0)) return false
    const isLater = (other: Revision) =>
      !other.is_kept &&
      other.revision > revision &&
      Math.floor(other.updated_at / DAY) === Math.floor(updated_at / DAY)
    return !slot.revisions.some(isLater)
  }

  #add(slot: Slot, added: Omit<Revision, 'revision' | 'updated_at' | 'age'>, removed: Candidate[]): Revision {
    for (const { slot: one, revision } of removed) {
      one.revisions = one.revisions.filter((other) => other !== revision)
      if (one.revisions.length === 0 && one !== slot) this.#forget(one)
    }
    slot.last++
    this.#issued.set(slot.name, slot.last)
    const revision = { ...added, revision: slot.last, updated_at: this.rules.now, age: ++this.#age }
    slot.revisions.push(revision)
    return revision
  }

  #expire(): void {
    for (const slot of [...this.#slots])
      if (
        slot.deleted_at !== undefined &&
        slot.deleted_at + this.rules.retention_days * DAY <= this.rules.now
      ) {
        this.#note('a deleted slot expires')
        this.#forget(slot)
      }
  }

  #forget(slot: Slot): void {
    this.#slots = this.#slots.filter((one) => one !== slot)
  }

  #refusal(of: string, error: string): unknown {
    return this.#noted(of, { error })
  }

  #noted<Refusal extends { error: string }>(of: string, refusal: Refusal): Refusal {
    this.#note(`${of}, ${refusal.error}`)
    return refusal
  }
}

function isOfServers(name: string): boolean {
  return name.startsWith('server.')
}

function older(one: Revision, other: Revision): number {
  return one.age - other.age
}

function contentOf({ text, label }: Write): { text: string; label: string | null } {
  return { text, label }
}

function saveOf({ name }: Slot, one: Revision): object {
  const { revision, text, label, writer, recall, created_at, updated_at } = one
  const nothing = { device: null, played_seconds: null, mime_type: 'application/octet-stream' }
  const size_bytes = text.length
  const sum = { checksum_sha256: `sum of ${text}` }
  const by = { written_by: writer, recall_id: recall?.id ?? null }
  return { slot: name, revision, size_bytes, label, ...by, created_at, updated_at, ...nothing, ...sum }
}

/** The revision of the last write that was not refused. */
function current({ revisions }: Slot): Revision {
  const last = revisions.findLast(({ is_kept }) => !is_kept)
  if (!last) throw new Error('a slot without a current revision')
  return last
}

/** RFC 9110 §13.1.1 and §13.1.2. Null stands for `*`. */
function holds({ if_match, if_none_match }: Condition, revision: number | undefined): boolean {
  const isNamed = (revisions: number[] | null) =>
    revision !== undefined && (revisions === null || revisions.includes(revision))
  return (
    (if_match === undefined || isNamed(if_match)) && (if_none_match === undefined || !isNamed(if_none_match))
  )
}

/** The condition as a text. Undefined: there is none, so that nothing tells a repetition. */
function requestOf({ if_match, if_none_match }: Condition): string | undefined {
  if (if_match === undefined && if_none_match === undefined) return undefined
  const inWords = (revisions: number[] | null | undefined) =>
    revisions === null ? '*' : (revisions?.toSorted().join() ?? 'none')
  return `match ${inWords(if_match)}, none of ${inWords(if_none_match)}`
}

/** Whether a write without a key repeats the one that made a revision, which had none either. */
function isSame(revision: Revision, write: Write, condition: string | undefined): boolean {
  const hasKey = revision.key !== null || write.idempotency_key !== null
  const isOfWriter = revision.writer === write.writer
  const isRepeated = condition !== undefined && revision.request === condition
  return !hasKey && isOfWriter && isRepeated && hasContent(revision, write)
}

function hasContent({ text, label }: Revision, write: Write): boolean {
  return text === write.text && label === write.label
}
