import { env } from 'cloudflare:test'
import { expect } from 'vitest'
import { isMoving } from '../../support/databases.ts'
import type { Answer, RequestOptions } from '../../support/exchange.ts'
import { endMoves } from '../../support/moving.ts'
import { type Act, agrees, type Command, type Draw, member, type Requests, refused } from './act.ts'
import { contentFor, readable, servedVersion, versionOf } from './asset-record.ts'
import {
  applyMeasure,
  caseAbout,
  decisionOf,
  ERASED,
  endAppeal,
  inForceOf,
  isOwnAppeal,
  isThere,
  lastOf,
  liftMeasure,
  newCase,
  notify,
  openReports,
  stateOf,
} from './cases.ts'
import { aPlayer, UNKNOWN } from './choose.ts'
import { platforms } from './declaring.ts'
import { allPages } from './pages.ts'
import {
  type Appeal,
  type Case,
  type CaseTarget,
  type Decision,
  now,
  type Report,
  type World,
} from './state.ts'
import { isBlocked, sight, standing } from './tree.ts'

const APPEAL_SECONDS = 183 * 86_400
const DAY = 86_400

const CATEGORIES = ['hate', 'spam', 'child_safety'] as const

/** A request that no move cuts in two: the races and the kills do that (test/races/moderation-races.test.ts). */
async function atRest(
  service: Requests,
  user: string,
  method: string,
  path: string,
  options?: RequestOptions,
): Promise<Answer> {
  if (await isMoving()) await endMoves()
  return service.request(user, method, path, options)
}

const moderator = ({ operator }: World, draw: Draw) => draw.one(operator, `${operator}-2`)

/** Whether a user is not just being erased: what they do in the next minute has times that lie before the end of the erasure. */
const isSettled = (world: World, ...users: (string | null)[]) =>
  users.every((user) => user === null || (world.erased_until[user] ?? -1) < now(world))

/** A thing of a player's, or a player, for a case; mostly one that has a case. */
function aThing(world: World, draw: Draw): { target: CaseTarget; owner_id: string } | undefined {
  const [isKnown, number, kind] = [draw.chance(60), draw.below(1_000), draw.below(8)]
  const known = [...world.cases.values()].filter(({ owner_id }) => owner_id !== null)
  const one = known[number % Math.max(1, known.length)]
  if (isKnown && one?.owner_id) return { target: one.target, owner_id: one.owner_id }
  const things = [
    ...(kind < 5 ? [...world.assets.values()] : []),
    ...(kind === 5 || kind === 6 ? [...world.items.values()] : []),
  ]
  const thing = things[number % Math.max(1, things.length)]
  if (thing)
    return {
      target: { type: 'versions' in thing ? 'asset' : 'file', id: thing.id },
      owner_id: thing.owner_id,
    }
  const user = world.players[number % world.players.length] ?? ''
  const owns = (of: { owner_id: string }) => of.owner_id === user
  const hasSome = [...world.items.values(), ...world.assets.values()].some(owns)
  return hasSome && world.erased_until[user] === undefined
    ? { target: { type: 'user', id: user }, owner_id: user }
    : undefined
}

export const createReport: Command = {
  operation: 'createReport',
  writes: true,
  draw: (world, draw) => {
    const [found, user, category] = [aThing(world, draw), aPlayer(world, draw), draw.one(...CATEGORIES)]
    const is_illegal = draw.chance(20)
    if (!found || !isSettled(world, user, found.owner_id)) return undefined
    return reports(user, found.target, { category, is_illegal, text: is_illegal ? 'an emblem' : null })
  },
}

type Complaint = Pick<Report, 'category' | 'is_illegal' | 'text'>

/** Whether a user can read a file or a folder: as a part of what is public, or by a share of it. */
function canReadFile(world: World, user: string, id: string): boolean {
  if (sight(world, user, id)) return true
  if (standing(world, id) !== 'live' || isBlocked(world, id)) return false
  return [...world.shares.values()].some(
    ({ file_id, grantee_id, expires_at }) =>
      file_id === id && grantee_id === user && (expires_at === null || expires_at > now(world)),
  )
}

function ownerOf(world: World, { type, id }: CaseTarget): string | undefined {
  if (type === 'user') return id
  return (type === 'asset' ? world.assets.get(id) : world.items.get(id))?.owner_id
}

const sameTarget = (one: CaseTarget, other: CaseTarget) => one.type === other.type && one.id === other.id

export function reports(user: string, target: CaseTarget, complaint: Complaint): Act<Requests> {
  return {
    says: `${user} reports ${target.type} ${target.id} ${JSON.stringify(complaint)}`,
    send: (service) => atRest(service, user, 'POST', '/reports', { json: { target, ...complaint } }),
    judge: (world, answer) => {
      const owner_id = ownerOf(world, target)
      const canRead =
        target.type === 'user' ||
        (target.type === 'asset'
          ? readable(world, user, target.id) !== undefined
          : canReadFile(world, user, target.id))
      const open = world.reports.find(
        (report) =>
          report.reporter_id === user && report.decided_at === null && sameTarget(report.target, target),
      )
      if (target.type === 'user' && owner_id === user) return refused(answer, 'VALIDATION_FAILED')
      if (open && canRead) return agrees(answer, 200, reportRecord(open))
      if (!canRead || owner_id === undefined) {
        // With one database the report is looked for in the same batch, and found although its thing is hidden by now.
        if (open && answer.status === 200) return agrees(answer, 200, reportRecord(open))
        return refused(answer, target.type === 'asset' ? 'ASSET_NOT_FOUND' : 'FILE_NOT_FOUND')
      }
      if (owner_id === user) return refused(answer, 'VALIDATION_FAILED')
      const today = now(world) - (now(world) % DAY)
      const sent = world.reports.filter(
        ({ reporter_id, created_at, is_illegal }) =>
          reporter_id === user && created_at >= today && is_illegal === complaint.is_illegal,
      )
      if (sent.length >= 20) return refused(answer, 'LIMIT_REACHED')
      const report: Report = {
        ...complaint,
        id: String(member(answer, 'id')),
        reporter_id: user,
        target,
        created_at: now(world),
        decided_at: null,
        decision: null,
      }
      const one = caseAbout(world, target) ?? newCase(world, target, owner_id)
      one.reports.push(report)
      world.reports.push(report)
      agrees(answer, 201, reportRecord(report))
    },
  }
}

const shownTarget = ({ type, id }: CaseTarget) => ({ type, id: id === ERASED ? expect.any(String) : id })

function appealRecord(appeal: Appeal | null) {
  if (!appeal) return null
  const { user_id: _, ...shown } = appeal
  return shown
}

function reportRecord({ reporter_id, decision, target, decided_at, ...report }: Report) {
  const own = decision?.appeal?.user_id === reporter_id ? decision?.appeal : null
  return {
    ...report,
    target: shownTarget(target),
    state: decided_at === null ? 'open' : 'decided',
    decided_at,
    decision: decision && {
      id: decision.id,
      action: decision.action,
      created_at: decision.created_at,
      appeal: appealRecord(own ?? null),
    },
  }
}

function decisionRecord({ moderator_id: _, note: __, ...decision }: Decision) {
  return { ...decision, target: shownTarget(decision.target), appeal: appealRecord(decision.appeal) }
}

function moderatorsRecord(decision: Decision) {
  const { moderator_id, note } = decision
  return { ...decisionRecord(decision), moderator_id, note }
}

export const listReports: Command = {
  operation: 'listReports',
  writes: false,
  draw: (world, draw) => listsReports(aPlayer(world, draw), draw.one(100, 1, 2)),
}

function listsReports(user: string, limit: number): Act<Requests> {
  return {
    says: `${user} lists their reports`,
    send: (service) =>
      allPages({ limit }, (query) => service.request(user, 'GET', `/reports?${query}`), 'reports'),
    judge: (world, answer) => {
      const own = world.reports.filter(({ reporter_id }) => reporter_id === user).sort(newest)
      agrees(answer, 200, { reports: own.map(reportRecord), next_cursor: null })
    },
  }
}

interface Made {
  id: string
  created_at: number
}

const newest = (one: Made, other: Made) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1)

export const getReport: Command = {
  operation: 'getReport',
  writes: false,
  draw: (world, draw) => {
    const [report, user, isOther] = [draw.of(world.reports), aPlayer(world, draw), draw.chance(20)]
    const by = isOther ? user : (report?.reporter_id ?? user)
    const id = report?.id ?? UNKNOWN
    return {
      says: `${by} reads report ${id}`,
      send: (service) => service.request(by, 'GET', `/reports/${id}`),
      judge: (_, answer) => {
        if (report?.reporter_id !== by) refused(answer, 'REPORT_NOT_FOUND')
        else agrees(answer, 200, reportRecord(report))
      },
    }
  },
}

function decisionsOf(world: World, user: string): Decision[] {
  return [...world.cases.values()]
    .flatMap(({ decisions }) => decisions)
    .filter(({ owner_id, action }) => owner_id === user && action !== 'none')
    .sort(newest)
}

/** A decision as its owner sees it: the appeal is the owner's. */
const ownRecord = (decision: Decision) =>
  decisionRecord(decision.appeal?.by === 'owner' ? decision : { ...decision, appeal: null })

export const listDecisions: Command = {
  operation: 'listDecisions',
  writes: false,
  draw: (world, draw) => listsDecisions(aPlayer(world, draw), draw.one(100, 1, 2)),
}

function listsDecisions(user: string, limit: number): Act<Requests> {
  return {
    says: `${user} lists the decisions about their things`,
    send: (service) =>
      allPages({ limit }, (query) => service.request(user, 'GET', `/decisions?${query}`), 'decisions'),
    judge: (world, answer) =>
      agrees(answer, 200, { decisions: decisionsOf(world, user).map(ownRecord), next_cursor: null }),
  }
}

/** A decision, mostly one that is in force. */
function aDecision(world: World, draw: Draw): Decision | undefined {
  const [isAny, number] = [draw.chance(30), draw.below(1_000)]
  const all = [...world.cases.values()].flatMap(({ decisions }) => decisions)
  const wanted = all.filter(({ lifted_at }) => isAny || lifted_at === null)
  return wanted[number % Math.max(1, wanted.length)]
}

export const getDecision: Command = {
  operation: 'getDecision',
  writes: false,
  draw: (world, draw) => {
    const [decision, user, isOther] = [aDecision(world, draw), aPlayer(world, draw), draw.chance(20)]
    const by = isOther ? user : (decision?.owner_id ?? user)
    const id = decision?.id ?? UNKNOWN
    return {
      says: `${by} reads decision ${id}`,
      send: (service) => service.request(by, 'GET', `/decisions/${id}`),
      judge: (_, answer) => {
        if (decision?.owner_id !== by || decision.action === 'none') refused(answer, 'DECISION_NOT_FOUND')
        else agrees(answer, 200, ownRecord(decision))
      },
    }
  },
}

export const getModeratorsDecision: Command = {
  operation: 'getModeratorsDecision',
  writes: false,
  draw: (world, draw) => {
    const decision = aDecision(world, draw)
    const id = decision?.id ?? UNKNOWN
    return {
      says: `${world.operator} reads decision ${id}`,
      send: (service) => service.request(world.operator, 'GET', `/moderation/decisions/${id}`),
      judge: (_, answer) => {
        if (decision) agrees(answer, 200, moderatorsRecord(decision))
        else refused(answer, 'DECISION_NOT_FOUND')
      },
    }
  },
}

/** Nobody but moderators is told the id of a case. */
async function idOf(target: CaseTarget): Promise<string> {
  const found = 'SELECT id FROM cases WHERE target_type = ? AND target_id = ?'
  return (await env.DB.prepare(found).bind(target.type, target.id).first<string>('id')) ?? UNKNOWN
}

/** The name of a thing that is there; it may be told until it has gone. */
function nameOf(world: World, { type, id }: CaseTarget): unknown {
  if (type === 'user') return null
  const thing = type === 'asset' ? world.assets.get(id) : world.items.get(id)
  return thing?.name ?? expect.toSatisfy((name) => name === null || typeof name === 'string')
}

function caseRecord(world: World, one: Case) {
  const [open, last] = [openReports(one), lastOf(one)]
  const categories: Record<string, number> = {}
  for (const { category } of open) categories[category] = (categories[category] ?? 0) + 1
  return {
    id: expect.any(String),
    target: shownTarget(one.target),
    name: nameOf(world, one.target),
    owner_id: one.owner_id,
    state: stateOf(one),
    report_count: open.length,
    categories,
    is_illegal: open.some(({ is_illegal }) => is_illegal),
    first_reported_at: open[0]?.created_at ?? null,
    last_reported_at: open.at(-1)?.created_at ?? null,
    decision: last ? moderatorsRecord(last) : null,
    appeal: appealRecord(last?.appeal ?? null),
  }
}

function wholeRecord(world: World, one: Case) {
  const about =
    one.owner_id === null ? [] : [...world.cases.values()].filter((of) => of.owner_id === one.owner_id)
  return {
    ...caseRecord(world, one),
    reports: one.reports.toSorted(newest).map((report) => ({
      ...reportRecord(report),
      reporter_id: report.reporter_id,
    })),
    earlier: about
      .flatMap(({ decisions }) => decisions)
      .sort(newest)
      .slice(0, 20)
      .map(moderatorsRecord),
  }
}

const MISSING = { asset: 'ASSET_NOT_FOUND', file: 'FILE_NOT_FOUND', user: 'CASE_NOT_FOUND' } as const

export const openCase: Command = {
  operation: 'openCase',
  writes: true,
  draw: (world, draw) => {
    const [found, user] = [aThing(world, draw), moderator(world, draw)]
    return found && isSettled(world, found.owner_id) ? opensCase(user, found.target) : undefined
  },
}

export function opensCase(user: string, target: CaseTarget): Act<Requests> {
  return {
    says: `${user} opens the case of ${target.type} ${target.id}`,
    send: (service) => atRest(service, user, 'POST', '/moderation/cases', { json: { target } }),
    judge: (world, answer) => {
      const there = caseAbout(world, target)
      if (there) return agrees(answer, 200, wholeRecord(world, there))
      const owner_id = ownerOf(world, target)
      if (!isThere(world, target) || owner_id === undefined) return refused(answer, MISSING[target.type])
      agrees(answer, 201, wholeRecord(world, newCase(world, target, owner_id)))
    },
  }
}

export const getCase: Command = {
  operation: 'getCase',
  writes: false,
  draw: (world, draw) => {
    const target = aThing(world, draw)?.target
    return (
      target && {
        says: `${world.operator} reads the case of ${target.type} ${target.id}`,
        send: async (service) =>
          service.request(world.operator, 'GET', `/moderation/cases/${await idOf(target)}`),
        judge: (world, answer) => {
          const one = caseAbout(world, target)
          if (one) agrees(answer, 200, wholeRecord(world, one))
          else refused(answer, 'CASE_NOT_FOUND')
        },
      }
    )
  },
}

export const listCases: Command = {
  operation: 'listCases',
  writes: false,
  draw: (world, draw) => {
    const owner_id = aPlayer(world, draw)
    const state = draw.one('open' as const, 'decided' as const, 'appealed' as const)
    const category = draw.one(undefined, ...CATEGORIES)
    const sort = draw.one('oldest', 'reports')
    return {
      says: `${world.operator} lists the ${state} cases of ${owner_id} (${category}, ${sort})`,
      send: (service) =>
        allPages(
          { state, category, sort, owner_id, limit: draw.one(100, 1) },
          (query) => service.request(world.operator, 'GET', `/moderation/cases?${query}`),
          'cases',
          'pages may be short',
        ),
      judge: (world, answer) => {
        const listed = [...world.cases.values()].filter(
          (one) =>
            one.owner_id === owner_id &&
            stateOf(one) === state &&
            (category === undefined || one.reports.some((report) => report.category === category)),
        )
        const told = member(answer, 'cases')
        const byTarget = (one: { target: CaseTarget }, other: { target: CaseTarget }) =>
          one.target.id < other.target.id ? -1 : 1
        const sorted = Array.isArray(told) ? told.toSorted(byTarget) : told
        agrees({ ...answer, body: { cases: sorted, next_cursor: null } }, 200, {
          cases: listed.sort(byTarget).map((one) => caseRecord(world, one)),
          next_cursor: null,
        })
      },
    }
  },
}

export const getCaseContent: Command = {
  operation: 'getCaseContent',
  writes: false,
  draw: (world, draw) => {
    const target = aThing(world, draw)?.target
    const version = draw.one(undefined, 1, 2)
    const platform = draw.of([undefined, ...platforms])
    return (
      target && {
        says: `${world.operator} looks at the content of ${target.type} ${target.id} (${version}, ${platform})`,
        send: async (service) =>
          service.request(world.operator, 'POST', `/moderation/cases/${await idOf(target)}/content`, {
            json: { reason: 'Is it in the file?', version, platform },
          }),
        judge: (world, answer) => {
          if (!caseAbout(world, target)) return refused(answer, 'CASE_NOT_FOUND')
          const isOfAsset = version !== undefined || platform !== undefined
          if (target.type === 'user' || (target.type === 'file' && isOfAsset))
            return refused(answer, 'VALIDATION_FAILED')
          if (!isThere(world, target)) return refused(answer, MISSING[target.type])
          const item = world.items.get(target.id)
          if (item?.asset_type === 'folder') return refused(answer, 'FILE_IS_FOLDER')
          if (item && item.processing_state !== 'ready') return refused(answer, 'FILE_NOT_READY')
          const asset = world.assets.get(target.id)
          const found = asset && versionOf(asset, version ?? servedVersion(asset))
          if (asset && !found) return refused(answer, 'VERSION_NOT_FOUND')
          if (found && !contentFor(found, platform)) return refused(answer, 'VARIANT_NOT_FOUND')
          expect(answer.status, answer.text).toBe(200)
        },
      }
    )
  },
}

interface Verdict {
  action: Decision['action']
  rating?: Decision['rating']
  replaces?: string | null
}

export const decide: Command = {
  operation: 'decide',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const [found, user, isStale] = [aThing(world, draw), moderator(world, draw), draw.chance(10)]
    const action = draw.one<Decision['action']>('none', 'warn', 'rate', 'unlist', 'block')
    const rating = draw.one<Decision['rating']>('everyone', 'teen', 'mature')
    if (!found || !isSettled(world, found.owner_id)) return undefined
    const one = caseAbout(world, found.target)
    const replaces = isStale ? (lastOf(one ?? newCaseLike)?.id ?? UNKNOWN) : (one?.in_force ?? null)
    return decides(user, found.target, { action, replaces, ...(action === 'rate' && { rating }) })
  },
}

const newCaseLike: Case = {
  target: { type: 'user', id: ERASED },
  owner_id: null,
  decisions: [],
  in_force: null,
  decided_at: null,
  reports: [],
}

const STATEMENT = 'A slogan on the wall.'

export function decides(user: string, target: CaseTarget, verdict: Verdict): Act<Requests> {
  const json = { ...verdict, ground: 'terms', statement: STATEMENT, note: 'for us' }
  return {
    says: `${user} decides about ${target.type} ${target.id} ${JSON.stringify(verdict)}`,
    send: async (service) =>
      atRest(service, user, 'POST', `/moderation/cases/${await idOf(target)}/decisions`, { json }),
    judge: (world, answer) => {
      const one = caseAbout(world, target)
      if (!one) return refused(answer, 'CASE_NOT_FOUND')
      if (!isTaken(target, verdict.action)) return refused(answer, 'VALIDATION_FAILED')
      if (one.in_force !== (verdict.replaces ?? null)) return refused(answer, 'CASE_DECIDED')
      if (isOwnAppeal(one, user)) return refused(answer, 'FORBIDDEN')
      const id = String(member(answer, 'id'))
      const made = make(world, one, {
        ...verdict,
        id,
        moderator_id: user,
        name: member(answer, 'name'),
        note: 'for us',
      })
      agrees(answer, 201, moderatorsRecord(made))
      expect(answer.body).toMatchObject({ name: nameOf(world, target) })
    },
  }
}

function isTaken({ type }: CaseTarget, action: Decision['action']): boolean {
  return type === 'asset' || action === 'none' || action === 'warn' || (type === 'file' && action === 'block')
}

interface Making extends Verdict {
  id: string
  moderator_id: string
  name: unknown
  note: string | null
}

function make(
  world: World,
  one: Case,
  { action, rating = null, name, id, moderator_id, note }: Making,
): Decision {
  const earlier = inForceOf(one)
  const { target, owner_id } = one
  const made: Decision = {
    id,
    target,
    name: typeof name === 'string' ? name : null,
    owner_id,
    moderator_id,
    action,
    ground: 'terms',
    rule: null,
    statement: STATEMENT,
    note,
    rating,
    is_automated: false,
    created_at: now(world),
    lifted_at: null,
    appealable_until: now(world) + APPEAL_SECONDS,
    appeal: null,
  }
  if (earlier) {
    earlier.lifted_at = now(world)
    const isKept = earlier.action === action && earlier.rating === rating
    endAppeal(world, earlier, isKept ? 'upheld' : 'reversed', null)
  }
  one.decisions.push(made)
  one.in_force = id
  one.decided_at = now(world)
  const told = { type: target.type, id: target.id }
  for (const report of openReports(one)) {
    Object.assign(report, { decided_at: now(world), decision: made })
    notify(world, report.reporter_id, 'moderation.report_decided', {
      report_id: report.id,
      target: told,
      action,
    })
  }
  if (action !== 'none')
    notify(world, owner_id, 'moderation.decision', { decision_id: id, target: told, name: made.name, action })
  applyMeasure(world, one)
  return made
}

export const liftDecision: Command = {
  operation: 'liftDecision',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const [decision, user] = [aDecision(world, draw), moderator(world, draw)]
    return isSettled(world, decision?.owner_id ?? null) ? lifts(user, decision?.id ?? UNKNOWN) : undefined
  },
}

export function lifts(user: string, id: string): Act<Requests> {
  return {
    says: `${user} lifts ${id}`,
    send: (service) => atRest(service, user, 'DELETE', `/moderation/decisions/${id}`),
    judge: (world, answer) => {
      const found = decisionOf(world, id)
      if (!found) return refused(answer, 'DECISION_NOT_FOUND')
      if (found.one.in_force === id) {
        if (isOwnAppeal(found.one, user)) return refused(answer, 'FORBIDDEN')
        liftMeasure(world, found.one, null)
      }
      agrees(answer, 204)
    },
  }
}

export const createAppeal: Command = {
  operation: 'createAppeal',
  writes: true,
  draw: (world, draw) => {
    const [decision, other, isOther] = [aDecision(world, draw), aPlayer(world, draw), draw.chance(30)]
    const reporter = world.reports.find((report) => report.decision === decision)?.reporter_id
    const concerned = decision?.action === 'none' ? reporter : decision?.owner_id
    const user = isOther ? other : (concerned ?? other)
    if (!isSettled(world, user, decision?.owner_id ?? null)) return undefined
    return appeals(user, decision?.id ?? UNKNOWN, draw.one('It is the sign of my guild.', 'Look again.'))
  },
}

export function appeals(user: string, id: string, text: string): Act<Requests> {
  return {
    says: `${user} appeals against ${id}`,
    send: (service) => atRest(service, user, 'POST', `/decisions/${id}/appeal`, { json: { text } }),
    judge: (world, answer) => {
      const found = decisionOf(world, id)
      const by = found && appellantOf(world, found.decision, user)
      if (!found || !by) return refused(answer, 'DECISION_NOT_FOUND')
      const { decision } = found
      const { appeal, lifted_at, appealable_until } = decision
      if (appeal?.user_id === user && appeal.text === text) return agrees(answer, 201, appealRecord(appeal))
      if (appeal || lifted_at !== null || appealable_until < now(world))
        return refused(answer, 'APPEAL_CLOSED')
      decision.appeal = {
        id: String(member(answer, 'id')),
        decision_id: id,
        by,
        user_id: user,
        text,
        state: 'open',
        answer: null,
        created_at: now(world),
        decided_at: null,
      }
      agrees(answer, 201, appealRecord(decision.appeal))
    },
  }
}

function appellantOf(world: World, decision: Decision, user: string): Appeal['by'] | undefined {
  if (decision.action !== 'none') return decision.owner_id === user ? 'owner' : undefined
  const isReporter = world.reports.some(
    (report) => report.reporter_id === user && report.decision?.id === decision.id,
  )
  return isReporter ? 'reporter' : undefined
}

export const answerAppeal: Command = {
  operation: 'answerAppeal',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const [isAny, found, number] = [draw.chance(20), aThing(world, draw), draw.below(1_000)]
    const [user, outcome] = [moderator(world, draw), draw.one('upheld' as const, 'reversed' as const)]
    const appealed = [...world.cases.values()].filter(
      (one) => one.target.id !== ERASED && stateOf(one) === 'appealed',
    )
    const target = isAny ? found?.target : appealed[number % Math.max(1, appealed.length)]?.target
    const one = target && caseAbout(world, target)
    const appellant = one ? (lastOf(one)?.appeal?.user_id ?? null) : null
    return target && isSettled(world, one?.owner_id ?? null, appellant)
      ? answersAppeal(user, target, outcome)
      : undefined
  },
}

export function answersAppeal(
  user: string,
  target: CaseTarget,
  outcome: 'upheld' | 'reversed',
): Act<Requests> {
  const answered = 'We have looked again.'
  return {
    says: `${user} answers the appeal about ${target.type} ${target.id}: ${outcome}`,
    send: async (service) =>
      atRest(service, user, 'POST', `/moderation/cases/${await idOf(target)}/appeal`, {
        json: { outcome, answer: answered },
      }),
    judge: (world, answer) => {
      const one = caseAbout(world, target)
      if (!one) return refused(answer, 'CASE_NOT_FOUND')
      const decision = inForceOf(one)
      if (decision?.appeal?.state !== 'open') return refused(answer, 'APPEAL_CLOSED')
      if (isOwnAppeal(one, user)) return refused(answer, 'FORBIDDEN')
      if (outcome === 'reversed') liftMeasure(world, one, answered)
      else endAppeal(world, decision, 'upheld', answered)
      agrees(answer, 200, appealRecord(decision.appeal))
    },
  }
}

export const getFigures: Command = {
  operation: 'getFigures',
  writes: false,
  draw: (world) => {
    const [from, to] = [now(world) - 2 * DAY, now(world) + DAY]
    return {
      says: `${world.operator} counts what moderation did`,
      send: (service) => service.request(world.operator, 'GET', `/moderation/figures?from=${from}&to=${to}`),
      // Of all worlds that there have been.
      judge: (world, answer) => {
        const count = (name: string) => Number(member(answer, name))
        const within = ({ created_at }: { created_at: number }) => created_at >= from && created_at < to
        const made = [...world.cases.values()].flatMap(({ decisions }) => decisions).filter(within)
        expect(answer.status, answer.text).toBe(200)
        expect(count('report_count')).toBeGreaterThanOrEqual(world.reports.filter(within).length)
        expect(count('decision_count')).toBeGreaterThanOrEqual(made.length)
      },
    }
  },
}

/** Blocks a file or an asset with a statement: the block is a decision. */
export const blockWithStatement: Command = {
  operation: 'a block with a statement',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const [found, user] = [aThing(world, draw), moderator(world, draw)]
    if (!found || found.target.type === 'user' || !isSettled(world, found.owner_id)) return undefined
    return blocksWithStatement(user, found.target)
  },
}

function blocksWithStatement(user: string, target: CaseTarget): Act<Requests> {
  const path = target.type === 'asset' ? 'game/assets' : 'files'
  let id = UNKNOWN
  return {
    says: `${user} blocks ${target.type} ${target.id} with a statement`,
    send: async (service) => {
      const answer = await atRest(service, user, 'PUT', `/${path}/${target.id}/block`, {
        json: { statement: STATEMENT },
      })
      const found = 'SELECT decision_id FROM cases WHERE target_type = ? AND target_id = ?'
      id = (await env.DB.prepare(found).bind(target.type, target.id).first<string>('decision_id')) ?? UNKNOWN
      return answer
    },
    judge: (world, answer) => {
      const owner_id = ownerOf(world, target)
      const there = caseAbout(world, target)
      if (!isThere(world, target) || (!there && owner_id === undefined))
        return refused(answer, MISSING[target.type])
      const one = there ?? newCase(world, target, owner_id ?? '')
      if (isOwnAppeal(one, user)) return refused(answer, 'FORBIDDEN')
      const thing = target.type === 'asset' ? world.assets.get(target.id) : world.items.get(target.id)
      make(world, one, { action: 'block', id, moderator_id: user, name: thing?.name ?? null, note: null })
      agrees(answer, 204)
    },
  }
}

/** Everybody looks at their reports and at the decisions about their things. */
export function looksAtModeration(world: World): Act<Requests>[] {
  return world.players.flatMap((player) => [listsReports(player, 100), listsDecisions(player, 100)])
}
