import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../../platform/config/env.ts'
import { Alarm, migrate } from '../../platform/lib/durable-object.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { MINUTE } from '../../platform/lib/units.ts'
import { isHiddenSlot, isServerSlot } from './access.ts'
import { holds, textOf } from './condition.ts'
import { steps } from './migrations.ts'
import { forecastOf, isOf, planOf, reportOf, type SlotPlan } from './recalls/plan.ts'
import { countReports, type RecallReport } from './recalls/report.ts'
import type { Recall } from './recalls/row.ts'
import { type AuthoredWrite, isRepeatedBy, isRepetition, isSameRequest, keyedRow } from './repetition.ts'
import { listedSaveOf, type RevisionRow, saveOf } from './row.ts'
import type {
  History,
  ReadResult,
  RecallForecast,
  Removed,
  Restored,
  SaveCondition,
  SaveRefusal,
  SaveRules,
  SavesMethods,
  SaveWrite,
  SlotList,
  UnawareWrite,
  Written,
} from './rpc.ts'
import {
  besideSlot,
  bytesOf,
  expiredSlots,
  expiryOf,
  isDeleted,
  isFull,
  limitsOf,
  presentSlots,
  revisionOf,
  revisionsIn,
  type Slot,
  slotsOf,
  surplusOfDeleted,
} from './slots.ts'
import { type NewRow, SavesStore } from './store.ts'
import { revisionsToRemove } from './trim.ts'

/** How long after a recall its counts are reported, at least and beyond that by chance, in seconds; and after a failure. */
const REPORT_DELAY = 2 * MINUTE
const REPORT_RETRY = 10 * MINUTE

/**
 * One user's saves (docs/architecture.md#writing-without-races). A method awaits nothing, so calls do not interleave, and
 * makes its changes in one transaction; the alarm awaits the first database, and nothing of its own. The platform holds back what an object answers until its writes are stored.
 */
export class Saves extends DurableObject<Env> implements SavesMethods {
  readonly #store: SavesStore
  readonly #alarm: Alarm

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, steps)
    this.#store = new SavesStore(ctx.storage)
    this.#alarm = new Alarm(ctx)
  }

  list(deleted: boolean, rules: SaveRules): SlotList {
    this.recall(rules)
    const slots = [...this.#slots(rules).values()]
    const saves = slots
      .filter((slot) => isDeleted(slot) === deleted)
      .map(({ current }) => current)
      .filter(({ slot }) => rules.shows_all || !isHiddenSlot(slot))
      .sort((one, other) => other.change_number - one.change_number)
      .map(listedSaveOf)
    const { own = [], ofServers = [] } = Object.groupBy(revisionsIn(slots), ({ slot }) =>
      isServerSlot(slot) ? 'ofServers' : 'own',
    )
    const used_bytes = bytesOf(own)
    return rules.shows_all
      ? { saves, used_bytes, server_used_bytes: bytesOf(ofServers) }
      : { saves, used_bytes }
  }

  read(slot: string, revision: number | undefined, condition: SaveCondition, rules: SaveRules): ReadResult {
    this.recall(rules)
    const found = this.#live(slot, rules)
    if (!found) return { error: 'SAVE_NOT_FOUND' }
    const row = revision === undefined ? found.current : revisionOf(found, revision)
    if (!row) return { error: 'SAVE_REVISION_NOT_FOUND' }
    const isKnown = !holds(condition, row.revision)
    return { save: saveOf(row), bytes: isKnown ? undefined : this.#store.bytes(row) }
  }

  revisions(slot: string, rules: SaveRules): History {
    this.recall(rules)
    const found = this.#live(slot, rules)
    if (!found) return { error: 'SAVE_NOT_FOUND' }
    const revisions = found.rows
      .toSorted((one, other) => other.revision - one.revision)
      .map((row) => ({ ...saveOf(row), is_current: row === found.current, is_kept: row.is_kept === 1 }))
    return { revisions }
  }

  write(request: SaveWrite, rules: SaveRules): Written {
    return this.#write({ ...request, written_by: null }, rules)
  }

  writeFor(writer: string, request: SaveWrite, rules: SaveRules): Written {
    return this.#write({ ...request, written_by: writer }, rules)
  }

  #write(request: AuthoredWrite, rules: SaveRules): Written {
    this.recall(rules)
    return this.#store.transaction((): Written => {
      const { slot, bytes } = request
      const slots = this.#slots(rules)
      const known = slots.get(slot)
      const live = known && !isDeleted(known) ? known : undefined
      const keyed = keyedRow(slots, request)
      if (keyed && !isSameRequest(keyed, request)) return { error: 'IDEMPOTENCY_KEY_REUSED' }
      if (keyed?.is_kept === 0) return writtenAnswer(keyed)
      if (keyed || !holds(request, live?.current.revision)) {
        if (live && isRepeatedBy(live.current, request)) return writtenAnswer(live.current)
        return this.#refuse(live, request, rules, keyed)
      }
      if (!live && isFull(slot, slots, rules)) return { error: 'LIMIT_REACHED' }
      const added = {
        ...writtenRow(request, rules),
        revision: this.#next(slot, rules),
        is_kept: 0,
        made_slot: live ? 0 : 1,
        created_at: live?.current.created_at ?? rules.now,
      }
      const written = this.#add(added, bytes, rules, live ? [] : (known?.rows ?? []))
      return written ? writtenAnswer(written) : this.#full(added, rules)
    })
  }

  restore(slot: string, revision: number | undefined, condition: SaveCondition, rules: SaveRules): Restored {
    return this.#restore(null, slot, revision, condition, rules)
  }

  restoreFor(
    writer: string,
    slot: string,
    revision: number | undefined,
    condition: SaveCondition,
    rules: SaveRules,
  ): Restored {
    return this.#restore(writer, slot, revision, condition, rules)
  }

  #restore(
    written_by: string | null,
    slot: string,
    revision: number | undefined,
    condition: SaveCondition,
    rules: SaveRules,
  ): Restored {
    this.recall(rules)
    return this.#store.transaction((): Restored => {
      const slots = this.#slots(rules)
      const found = slots.get(slot)
      if (!found) return { error: 'SAVE_NOT_FOUND' }
      const { current } = found
      const text = textOf(condition)
      const repeatable = text && `${text}, restores ${revision ?? 'it'}`
      if (!holds(condition, current.revision))
        return isRepetition(current, repeatable, written_by)
          ? { save: saveOf(current) }
          : { error: 'PRECONDITION_FAILED', current: saveOf(current) }
      if (!isDeleted(found) && revision === undefined) return { save: saveOf(current) }
      const source = revision === undefined ? current : revisionOf(found, revision)
      if (!source) return { error: 'SAVE_REVISION_NOT_FOUND' }
      if (isDeleted(found) && isFull(slot, slots, rules)) return { error: 'LIMIT_REACHED' }
      const added = {
        ...source,
        revision: found.last + 1,
        condition: repeatable,
        idempotency_key: null,
        made_slot: 0,
        is_kept: 0,
        created_at: current.created_at,
        updated_at: rules.now,
        deleted_at: null,
        ...authored(written_by),
      }
      const written = this.#add(added, source, rules)
      return written ? { save: saveOf(written) } : this.#full(added, rules)
    })
  }

  remove(slot: string, condition: SaveCondition, rules: SaveRules): Removed {
    this.recall(rules)
    return this.#store.transaction(() => {
      const found = this.#live(slot, rules)
      if (!found) return { error: 'SAVE_NOT_FOUND' }
      const { current } = found
      if (!holds(condition, current.revision))
        return { error: 'PRECONDITION_FAILED', current: saveOf(current) }
      this.#removeExpired(rules)
      this.#store.markDeleted(current, rules.now)
      this.#store.remove(revisionsIn(surplusOfDeleted(slot, this.#store.rows(), rules)))
      this.#store.keepRetention(rules.retention_days)
      this.#scheduleExpiry(rules)
      return {}
    })
  }

  recall(rules: SaveRules, unaware?: UnawareWrite): void {
    if (!rules.recalls) return
    const isNew = this.#applyRecalls(rules, unaware)
    if (!this.#store.account().reports) return
    // Later than any time that was drawn before, so that an alarm which is set stays, and one that was lost comes back.
    this.#alarm.schedule(rules.now + Math.ceil(REPORT_DELAY * (isNew ? 1 + Math.random() : 2)))
  }

  /** Applies the recalls of the rules. Returns whether there was one of whose time these saves have something. */
  #applyRecalls(rules: SaveRules, unaware: UnawareWrite | undefined): boolean {
    const pending = this.#pendingRecalls(rules)
    const slots = this.#slots(rules)
    const rows = revisionsIn(slots.values())
    // Without a revision of its time, a recall can't concern these saves later either.
    if (!pending.some((recall) => rows.some((row) => isOf(recall, row)))) return false
    const plans = planOf(slots.values(), pending, unaware)
    const reports = pending.map(({ id }) => reportOf(id, plans)).filter((report) => report !== undefined)
    this.#store.transaction(() => {
      this.#goBack(plans, rules)
      this.#store.noteRecalls(Math.max(...pending.map(({ number }) => number)), reports)
    })
    return true
  }

  forecast(recall_id: string, rules: SaveRules): RecallForecast {
    const pending = this.#pendingRecalls(rules)
    const slots = forecastOf(recall_id, planOf(this.#slots(rules).values(), pending)).filter(
      ({ slot }) => rules.shows_all || !isHiddenSlot(slot),
    )
    const isPending = pending.some(({ id }) => id === recall_id)
    const isInForce = rules.recalls?.some(({ id }) => id === recall_id) === true
    return { is_applied: isInForce && !isPending, slots }
  }

  erase(erasure_id: string): number {
    const { mark: last } = this.#store.account()
    if (last !== undefined && last >= erasure_id) return 0
    const erased = this.#store.transaction(() => this.#store.erase(erasure_id))
    this.#alarm.cancel()
    if (this.#store.account().reports) this.#alarm.schedule(Math.floor(Date.now() / 1_000) + REPORT_DELAY)
    return erased
  }

  /** Removes the deleted slots that can no longer be restored, and reports what recalls have come to. */
  override async alarm(): Promise<void> {
    this.#alarm.begin()
    const now = Math.floor(Date.now() / 1_000)
    const { retention_days, reports } = this.#store.account()
    if (retention_days !== undefined) {
      const rules = { now, retention_days }
      this.#store.transaction(() => this.#removeExpired(rules))
      this.#scheduleExpiry(rules)
    }
    if (reports) await this.#report(reports, now)
  }

  /** Counts reports in the first database, and forgets them. When that fails, a later alarm tries again. */
  async #report(reports: readonly RecallReport[], now: number): Promise<void> {
    try {
      await countReports(this.env.DB, reports)
    } catch (error) {
      logWarning('reports of recalls wait', { error: String(error) })
      this.#alarm.schedule(now + REPORT_RETRY)
      return
    }
    this.#store.transaction(() => this.#store.forgetReports(new Set(reports.map(({ id }) => id))))
    if (this.#store.account().reports) this.#alarm.schedule(now + REPORT_DELAY)
  }

  /** The recalls of the rules that these saves have not applied, by their numbers. */
  #pendingRecalls({ recalls = [] }: SaveRules): Recall[] {
    if (recalls.length === 0) return []
    const { recalled = 0 } = this.#store.account()
    return recalls
      .filter(({ number }) => number > recalled)
      .toSorted((one, other) => one.number - other.number)
  }

  /** Makes the revisions of recalls. One that finds no room goes beyond it: what was recalled must not stay for want of room. */
  #goBack(plans: readonly SlotPlan[], rules: SaveRules): void {
    const boundless = { ...rules, limit_bytes: Number.POSITIVE_INFINITY, of_servers: undefined }
    const sources = plans.flatMap(({ back }) => back?.source ?? [])
    for (const { slot, back } of plans) {
      if (!back) continue
      const { source, content_at, recall_id } = back
      const added = {
        ...source,
        revision: slot.last + 1,
        condition: null,
        idempotency_key: null,
        made_slot: 0,
        is_kept: 0,
        created_at: slot.current.created_at,
        updated_at: rules.now,
        deleted_at: null,
        recall_id,
        content_at,
      }
      const spared = new Set(sources)
      if (!this.#add(added, source, rules, [], spared)) this.#add(added, source, boundless, [], spared)
    }
  }

  /** All slots except the expired ones. */
  #slots(rules: SaveRules): Map<string, Slot> {
    return presentSlots(this.#store.rows(), rules)
  }

  /** A slot that is not deleted. */
  #live(name: string, rules: SaveRules): Slot | undefined {
    const slot = this.#slots(rules).get(name)
    return slot && !isDeleted(slot) ? slot : undefined
  }

  #removeExpired(rules: Pick<SaveRules, 'now' | 'retention_days'>): void {
    this.#store.remove(revisionsIn(expiredSlots(this.#store.rows(), rules)))
  }

  /** The number of the next revision of a slot. It is above that of every revision that the slot has had. */
  #next(name: string, rules: SaveRules): number {
    const rows = this.#store.rows()
    const known = slotsOf(rows).get(name)
    if (known) return known.last + 1
    const lasts = expiredSlots(rows, rules).map(({ last }) => last)
    return Math.max(this.#store.account().floor, ...lasts) + 1
  }

  /**
   * Answers a write whose condition does not hold, and keeps its bytes if the request asks for that. `keyed` is the revision that
   * already has the bytes of a repetition.
   */
  #refuse(
    live: Slot | undefined,
    request: AuthoredWrite,
    rules: SaveRules,
    keyed: RevisionRow | undefined,
  ): SaveRefusal {
    const refusal = { error: 'PRECONDITION_FAILED', current: live && saveOf(live.current) } as const
    const isKept = (row: RevisionRow) => row.is_kept === 1 && isRepeatedBy(row, request)
    const earlier = keyed ?? (request.keep ? live?.rows.find(isKept) : undefined)
    if (earlier) return { ...refusal, kept_revision: earlier.revision }
    if (!live || !request.keep) return refusal
    const { created_at } = live.current
    const revision = live.last + 1
    const added = { ...writtenRow(request, rules), revision, is_kept: 1, made_slot: 0, created_at }
    const kept = this.#add(added, request.bytes, rules)
    return { ...refusal, kept_revision: kept?.revision }
  }

  /**
   * Adds a revision, and removes `ended`, the expired ones, and those that have to make room. Undefined when there is not
   * enough room: then nothing is removed.
   */
  #add(
    added: NewRow,
    content: ArrayBuffer | RevisionRow,
    rules: SaveRules,
    ended: RevisionRow[] = [],
    spared: ReadonlySet<RevisionRow> = new Set(),
  ): RevisionRow | undefined {
    const gone = new Set([...revisionsIn(expiredSlots(this.#store.rows(), rules)), ...ended])
    const { slot, size_bytes, is_kept } = added
    const rows = besideSlot(slot, this.#store.rows()).filter((row) => !gone.has(row))
    const source = content instanceof ArrayBuffer ? undefined : content
    const removed = revisionsToRemove(
      rows,
      { slot, size_bytes, is_current: is_kept === 0, spared, ...(source && { source }) },
      { ...rules, ...limitsOf(slot, rules) },
    )
    return removed && this.#store.replace(added, content, [...gone, ...removed])
  }

  /** The refusal of a current revision that `#add` has found no room for: what stays is that of the other slots. */
  #full({ slot, size_bytes }: NewRow, rules: SaveRules): SaveRefusal {
    const { limit_bytes } = limitsOf(slot, rules)
    const others = [...slotsOf(besideSlot(slot, this.#store.rows())).values()].filter(
      (other) => other.current.slot !== slot && !isDeleted(other),
    )
    const used_bytes = bytesOf(others.map(({ current }) => current))
    return { error: 'QUOTA_EXCEEDED', quota: { used_bytes, limit_bytes, needed_bytes: size_bytes } }
  }

  #scheduleExpiry(rules: Pick<SaveRules, 'retention_days'>): void {
    const expiries = [...slotsOf(this.#store.rows()).values()].map((slot) => expiryOf(slot, rules))
    const next = Math.min(...expiries.filter((time) => time !== undefined))
    if (next < Number.POSITIVE_INFINITY) this.#alarm.schedule(next)
  }
}

/** The columns of a revision that no recall has made. */
function authored(written_by: string | null): Pick<NewRow, 'written_by' | 'recall_id' | 'content_at'> {
  return { written_by, recall_id: null, content_at: null }
}

/** The row of a write, without the members that depend on its slot. */
function writtenRow(
  request: AuthoredWrite,
  { now }: SaveRules,
): Omit<NewRow, 'revision' | 'is_kept' | 'made_slot' | 'created_at'> {
  const { slot, content, idempotency_key, written_by } = request
  const condition = textOf(request)
  const author = authored(written_by)
  return { ...content, ...author, slot, condition, idempotency_key, updated_at: now, deleted_at: null }
}

function writtenAnswer(row: RevisionRow): Written {
  return { save: saveOf(row), is_new: row.made_slot === 1 }
}
