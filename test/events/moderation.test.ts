import { beforeEach, describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { databaseNames } from '../support/databases.ts'
import { EventLog, serviceWithEvents } from '../support/events.ts'
import { newKey } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { operator, signUp, type User } from '../support/user.ts'

const { service, sent } = serviceWithEvents()
const { service: hiding } = serviceWithEvents({ HIDE_AFTER_REPORTS: '2' })

let ada: Creator
let bob: User
let moderator: User
let asset: { id: string }
let target: { type: 'asset'; id: string }
let log: EventLog

beforeEach(async () => {
  ada = await signUpCreator('ada', service)
  bob = await signUp('bob', service)
  moderator = (await operator('content:moderate')).through(service)
  asset = await ada.asset('maze', { visibility: 'public' })
  target = { type: 'asset', id: asset.id }
  log = new EventLog(ada)
  await log.next()
  sent.length = 0
})

const report = (user: User, more: object = {}, headers = {}) =>
  user.request('POST', '/reports', { json: { target, category: 'hate', ...more }, headers })

async function caseId(): Promise<string> {
  const answer = await moderator.request('POST', '/moderation/cases', { json: { target } })
  return made(records.WholeCase, answer, answer.status === 200 ? 200 : 201).id
}

const decide = (id: string, more: object = {}, headers = {}) =>
  moderator.request('POST', `/moderation/cases/${id}/decisions`, {
    json: { action: 'block', ground: 'terms', statement: 'A slogan on the wall.', ...more },
    headers,
  })

const own = /^(report|decision|appeal)[.]/

/** The events that an act has written, and that the delivery was woken for them where cases are. */
async function eventsOf(act: Promise<{ status: number }>, status: number) {
  sent.length = 0
  expect((await act).status).toBe(status)
  const events = await log.next()
  const woken = sent.filter(({ kind }) => kind === 'events')
  if (events.some(([type]) => own.test(type)))
    expect(woken).toContainEqual({ kind: 'events', database: databaseNames[0] })
  return events
}

describe('report.created', () => {
  it('is written for the first report of a case, and neither for a repetition nor for a refused one', async () => {
    const key = newKey()
    const first = report(bob, {}, key)
    const [event, ...others] = await eventsOf(first, 201)
    const { id } = made(records.Report, await first, 201)
    const data = { case_id: await caseId(), target_type: 'asset', target_id: asset.id, owner_id: ada.id }
    expect(event).toEqual([
      'report.created',
      { ...data, report_id: id, category: 'hate', is_illegal: false, report_count: 1 },
    ])
    expect(others).toEqual([])
    expect(await eventsOf(report(bob, {}, key), 201)).toEqual([])
    expect(await eventsOf(report(bob, { category: 'spam' }), 200)).toEqual([])
    expect(await eventsOf(report(ada), 400)).toEqual([])
    expect(await eventsOf(report(await signUp('cid', service)), 201)).toEqual([])
  })

  it('is written again for the first that says it is illegal, and the first about the safety of a child', async () => {
    const users = await Promise.all(['cid', 'dora', 'eve', 'finn'].map((name) => signUp(name, service)))
    const [cid = bob, dora = bob, eve = bob, finn = bob] = users
    await report(bob)
    await log.next()
    const illegal = { is_illegal: true, text: 'The law forbids it.' }
    expect(await eventsOf(report(cid, illegal), 201)).toMatchObject([
      ['report.created', { is_illegal: true, report_count: 2 }],
    ])
    expect(await eventsOf(report(dora, illegal), 201)).toEqual([])
    expect(await eventsOf(report(eve, { category: 'child_safety' }), 201)).toMatchObject([
      ['report.created', { category: 'child_safety', report_count: 4 }],
    ])
    expect(await eventsOf(report(finn, { category: 'child_safety' }), 201)).toEqual([])
  })
})

describe('decision.made', () => {
  it('is written once with the decision, not when another is in force, and not when it is lifted', async () => {
    const id = await caseId()
    const key = newKey()
    const answer = decide(id, {}, key)
    const events = await eventsOf(answer, 201)
    const decision = made(records.ModeratorsDecision, await answer, 201)
    const data = { decision_id: decision.id, case_id: id, target_type: 'asset', target_id: asset.id }
    expect(events).toEqual([
      ['content.blocked', { kind: 'assets', id: asset.id, owner_id: ada.id, blocked_by: moderator.id }],
      ['decision.made', { ...data, owner_id: ada.id, action: 'block', ground: 'terms', is_automated: false }],
    ])
    expect(await eventsOf(decide(id, {}, key), 201)).toEqual([])
    expect(await eventsOf(decide(id, { action: 'none' }), 409)).toEqual([])
    const lifted = moderator.request('DELETE', `/moderation/decisions/${decision.id}`)
    expect((await eventsOf(lifted, 204)).map(([type]) => type)).toEqual(['asset.published'])
  })

  it('is written by the service when it hides what many have reported', async () => {
    await report(bob)
    await log.next()
    const cid = (await signUp('cid')).through(hiding)
    expect((await report(cid)).status).toBe(201)
    expect(await log.next()).toMatchObject([
      ['decision.made', { action: 'unlist', is_automated: true, owner_id: ada.id }],
    ])
  })
})

describe('appeal.created', () => {
  it('is written once for an appeal, and neither for another one nor for that of a stranger', async () => {
    const id = await caseId()
    const decision = made(records.ModeratorsDecision, await decide(id), 201)
    await log.next()
    const appeal = (user: User, text: string) =>
      user.request('POST', `/decisions/${decision.id}/appeal`, { json: { text } })
    expect(await eventsOf(appeal(bob, 'Me.'), 404)).toEqual([])
    const answer = appeal(ada, 'It is the sign of my guild.')
    const events = await eventsOf(answer, 201)
    const { id: appeal_id } = made(records.Appeal, await answer, 201)
    const data = { appeal_id, case_id: id, decision_id: decision.id, owner_id: ada.id, by: 'owner' }
    expect(events).toEqual([['appeal.created', data]])
    expect(await eventsOf(appeal(ada, 'It is the sign of my guild.'), 201)).toEqual([])
    expect(await eventsOf(appeal(ada, 'Again.'), 409)).toEqual([])
  })
})
