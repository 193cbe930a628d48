import { describe, expect, it } from 'vitest'
import { createClient, type Notification } from '#client'
import { createStudio } from '#client/studio'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, origin } from '../support/service.ts'
import { atOnce, losing, network } from './client.ts'

/** A client of a new user, with their id. */
async function player(name: string, fetch: Fetch = network()) {
  const user_id = newNamedId(name)
  const token = await tokenFor(user_id)
  return { user_id, client: createClient({ baseUrl: origin, token, fetch, retry: atOnce }) }
}

/** A studio's client of a new moderator. */
async function moderator(fetch: Fetch = network()) {
  const token = await tokenFor(newNamedId('moderator'), { scope: 'content:moderate' })
  return createStudio({ baseUrl: origin, token, fetch, retry: atOnce })
}

const statement = 'The wall of the second room shows a slogan against a group of people.'

/** A public world, and a report about it. */
async function scene() {
  const [owner, reporter] = [await player('owner'), await player('reporter')]
  const { id } = await owner.client.assets.create({ name: 'Maze', type: 'world', visibility: 'public' })
  const target = { type: 'asset', id } as const
  const report = await reporter.client.reports.create({ target, category: 'hate' })
  return { owner, reporter, target, report }
}

describe('a report', () => {
  it('whose answer is lost is made once, and its reporter sees what became of it', async () => {
    const { owner, target } = await scene()
    const { requests, fetch } = losing(1)
    const { client } = await player('reporter', fetch)
    const report = await client.reports.create({ target, category: 'violence', text: 'On the wall.' })
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST'])
    const listed = []
    for await (const one of client.reports.list()) listed.push(one)
    expect(listed).toEqual([report])

    const studio = await moderator()
    const found = await studio.cases.open({ target })
    expect(found).toMatchObject({
      owner_id: owner.user_id,
      report_count: 2,
      reports: [{ id: report.id }, {}],
    })
    const decision = await studio.cases.decide({ id: found.id, action: 'block', ground: 'terms', statement })
    expect(await client.reports.get({ id: report.id })).toMatchObject({
      state: 'decided',
      decision: { id: decision.id, action: 'block', appeal: null },
    })
    const told: Notification[] = []
    for await (const one of client.inbox.list({ type: 'moderation.report_decided' })) told.push(one)
    expect(told.map(({ data }) => data)).toEqual([{ report_id: report.id, target, action: 'block' }])
  })
})

describe('a case', () => {
  it('is in the queue until it is decided, and its owner appeals, with a lost answer, once', async () => {
    const { target, owner, report } = await scene()
    const studio = await moderator()
    const ids: string[] = []
    for await (const { id } of studio.cases.list({ owner_id: owner.user_id, limit: 1 })) ids.push(id)
    const [id = ''] = ids
    expect(await studio.cases.get({ id })).toMatchObject({ target, reports: [{ id: report.id }] })
    const decision = await studio.cases.decide({ id, action: 'unlist', ground: 'terms', statement })
    expect(await studio.cases.list({ owner_id: owner.user_id }).page()).toMatchObject({ cases: [] })

    const [own] = (await owner.client.decisions.list().page()).decisions
    expect(own).toMatchObject({ id: decision.id, action: 'unlist', statement, lifted_at: null })
    const { requests, fetch } = losing(1)
    const again = createClient({
      baseUrl: origin,
      token: await tokenFor(owner.user_id),
      fetch,
      retry: atOnce,
    })
    const appeal = await again.decisions.appeal({ id: decision.id, text: 'It is the sign of my guild.' })
    expect(requests).toHaveLength(2)

    const other = await moderator()
    const answer = { outcome: 'reversed', answer: 'You are right.' } as const
    await expect(studio.cases.answerAppeal({ id, ...answer })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await other.cases.answerAppeal({ id, ...answer })).toMatchObject({
      id: appeal.id,
      state: 'reversed',
      answer: answer.answer,
    })
    expect(await owner.client.decisions.get({ id: decision.id })).toMatchObject({
      lifted_at: expect.any(Number),
      appeal: { state: 'reversed' },
    })
    await other.decisions.lift({ id: decision.id })
    expect(await other.decisions.get({ id: decision.id })).toMatchObject({ appeal: { id: appeal.id } })
  })

  it('is counted in the figures of its time', async () => {
    const { target } = await scene()
    const studio = await moderator()
    const now = Math.floor(Date.now() / 1_000)
    const { id } = await studio.cases.open({ target })
    await studio.cases.decide({ id, action: 'warn', ground: 'law', rule: 'Criminal code', statement })
    const figures = await studio.moderation.getFigures({ from: now - 60, to: now + 60 })
    expect(figures.reports_by_category.hate).toBeGreaterThan(0)
    expect(figures.decisions_by_action.warn).toBeGreaterThan(0)
    expect(figures.decisions_by_ground.law).toBeGreaterThan(0)
  })
})
