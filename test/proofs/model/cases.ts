import { changedAsset } from './asset-record.ts'
import { addNotice, makeRoom } from './inbox.ts'
import { type Case, type CaseTarget, type Decision, inboxOf, now, type Report, type World } from './state.ts'
import { unknownId } from './taking-in.ts'
import { changed, standing } from './tree.ts'

/* What moderation keeps (docs/conformance.md#safety), and what a measure does to its thing. */

/** In place of the id of a user who has been erased. */
export const ERASED = 'an erased user'

const nameOfTarget = ({ type, id }: CaseTarget): string => `${type} ${id}`

export const caseAbout = (world: World, target: CaseTarget): Case | undefined =>
  world.cases.get(nameOfTarget(target))

export function newCase(world: World, target: CaseTarget, owner_id: string): Case {
  const made: Case = {
    target,
    owner_id,
    decisions: [],
    in_force: null,
    decided_at: null,
    reports: [],
  }
  world.cases.set(nameOfTarget(target), made)
  return made
}

/** The last decision, lifted or not. */
export const lastOf = ({ decisions }: Case): Decision | undefined => decisions.at(-1)

/** The decision that is in force. */
export const inForceOf = ({ decisions, in_force }: Case): Decision | undefined =>
  decisions.find(({ id }) => id === in_force)

export const openReports = ({ reports }: Case): Report[] =>
  reports.filter(({ decided_at }) => decided_at === null)

export function stateOf(one: Case): 'appealed' | 'open' | 'decided' {
  if (lastOf(one)?.appeal?.state === 'open') return 'appealed'
  return openReports(one).length > 0 || one.decided_at === null ? 'open' : 'decided'
}

export function decisionOf(world: World, id: string): { one: Case; decision: Decision } | undefined {
  for (const one of world.cases.values()) {
    const decision = one.decisions.find((made) => made.id === id)
    if (decision) return { one, decision }
  }
  return undefined
}

/** Whether the thing is there for a moderator; a user always is. */
export function isThere(world: World, { type, id }: CaseTarget): boolean {
  if (type === 'user') return true
  return type === 'asset' ? world.assets.has(id) : standing(world, id) !== 'gone'
}

/** Brings the measure of a case to its thing. */
export function applyMeasure(world: World, one: Case): void {
  const { type, id } = one.target
  if (type === 'user' || !isThere(world, one.target)) return
  const decision = inForceOf(one)
  const isMeasure = decision && ['rate', 'unlist', 'block'].includes(decision.action)
  const [action, rating] = isMeasure ? [decision.action, decision.rating] : ['none', null]
  const item = world.items.get(id)
  if (type === 'file' && item) {
    if (item.measure === undefined && action === 'none') return
    const was = item.measure === 'block'
    item.measure = action === 'block' ? 'block' : 'none'
    const blocked = action === 'block' || (was ? false : item.blocked)
    if (item.blocked !== blocked) changed(item)
    item.blocked = blocked
  }
  const asset = world.assets.get(id)
  if (type !== 'asset' || !asset) return
  const before = asset.measure
  const effects = () => JSON.stringify([asset.blocked, asset.unlisted, asset.rating, asset.rating_locked])
  const had = effects()
  const rating_before = before?.action === 'rate' ? before.rating_before : asset.rating
  asset.blocked = action === 'block' || (before?.action === 'block' ? false : asset.blocked)
  asset.unlisted = action === 'unlist'
  if (action === 'rate') asset.rating = rating
  else if (before?.action === 'rate' && asset.rating === before.rating) asset.rating = before.rating_before
  asset.rating_locked = action === 'rate' ? rating : null
  asset.measure = { action, rating, rating_before, isOwn: true }
  if (effects() !== had) changedAsset(asset)
}

/** Lifts the decision that is in force. `answer`: of an appeal. */
export function liftMeasure(world: World, one: Case, answer: string | null): void {
  const decision = inForceOf(one)
  if (!decision) return
  decision.lifted_at = now(world)
  one.in_force = null
  one.decided_at = decision.action === 'none' && decision.appeal?.state === 'open' ? null : now(world)
  endAppeal(world, decision, 'reversed', answer)
  applyMeasure(world, one)
}

/** Ends an open appeal, and tells who appealed. */
export function endAppeal(
  world: World,
  { id, appeal }: Decision,
  outcome: 'upheld' | 'reversed',
  answer: string | null,
): void {
  if (appeal?.state !== 'open') return
  Object.assign(appeal, { state: outcome, answer, decided_at: now(world) })
  notify(world, appeal.user_id, 'moderation.appeal_decided', { decision_id: id, outcome })
}

/** A notification of the service itself, of which nobody knows the id yet. */
export function notify(world: World, user_id: string | null, type: string, data: object): void {
  if (user_id === null) return
  const inbox = inboxOf(world, user_id)
  const notice = { id: unknownId(inbox), type, data }
  addNotice(world, inbox, notice)
  makeRoom(world, inbox)
}

/** Takes an erased user out of what moderation keeps. Counts and measures stay. */
export function forgetInCases(world: World, user: string): void {
  for (const [name, one] of [...world.cases]) {
    for (const report of one.reports)
      if (report.reporter_id === user) Object.assign(report, { reporter_id: null, text: null })
    for (const { appeal } of one.decisions)
      if (appeal?.user_id === user)
        Object.assign(appeal, { user_id: null, text: '', answer: appeal.answer === null ? null : '' })
    if (one.owner_id !== user) continue
    one.owner_id = null
    for (const decision of one.decisions)
      Object.assign(decision, { owner_id: null, name: null, rule: null, statement: '', note: null })
    if (one.target.type !== 'user') continue
    // A later case about a user of this id is another one.
    const target: CaseTarget = { type: 'user', id: ERASED }
    one.target = target
    for (const thing of [...one.reports, ...one.decisions]) thing.target = target
    world.cases.delete(name)
    world.cases.set(`${name} until ${now(world)} ${world.cases.size}`, one)
  }
  for (const report of world.reports)
    if (report.reporter_id === user) Object.assign(report, { reporter_id: null, text: null })
}

/** Whether a moderator would answer an appeal against their own decision. */
export function isOwnAppeal(one: Case, user: string): boolean {
  const decision = inForceOf(one)
  return decision?.appeal?.state === 'open' && decision.moderator_id === user
}
