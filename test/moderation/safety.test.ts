import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { inbox } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { settledService } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

const { Report, ReportPage, Decision, DecisionPage, ModeratorsDecision, Appeal, WholeCase, CasePage } =
  records

const POST = (user: User, path: string, json: object) => user.request('POST', path, { json })

async function report(user: User, target: { type: string; id: string }, more: object = {}, status = 201) {
  return made(Report, await POST(user, '/reports', { target, category: 'hate', ...more }), status)
}

async function caseOf(moderator: User, target: { type: string; id: string }, status = 200) {
  return made(WholeCase, await POST(moderator, '/moderation/cases', { target }), status)
}

async function decide(moderator: User, id: string, more: object = {}) {
  const body = { action: 'unlist', ground: 'terms', statement: 'A slogan on the wall.', ...more }
  return made(ModeratorsDecision, await POST(moderator, `/moderation/cases/${id}/decisions`, body), 201)
}

async function publicAsset(ada: Creator, name = 'maze') {
  return ada.asset(name, { visibility: 'public' })
}

async function scene() {
  const [ada, bob] = [await signUpCreator('ada'), await signUp('bob')]
  const moderator = await operator('content:moderate')
  const other = await operator('content:moderate')
  return { ada, bob, moderator, other, asset: await publicAsset(ada) }
}

describe('a report', () => {
  it('is made once while it is open, and listed by its reporter', async () => {
    const { bob, asset, moderator } = await scene()
    const target = { type: 'asset', id: asset.id }
    const first = await report(bob, target, { text: 'the wall' })
    expect(first).toMatchObject({
      target,
      category: 'hate',
      text: 'the wall',
      is_illegal: false,
      state: 'open',
      decision: null,
    })
    expect(await report(bob, target, { category: 'spam' }, 200)).toEqual(first)
    expect(made(ReportPage, await bob.get('/reports'), 200).reports).toEqual([first])
    expect(made(Report, await bob.get(`/reports/${first.id}`), 200)).toEqual(first)
    expect(await moderator.get(`/reports/${first.id}`)).toBeProblem(404, 'REPORT_NOT_FOUND')
    const found = await caseOf(moderator, target)
    expect(found).toMatchObject({ report_count: 1, categories: { hate: 1 }, state: 'open', name: asset.name })
    const listed = await moderator.get('/moderation/cases?category=hate&limit=100')
    const { reports, earlier, ...shown } = found
    expect(made(CasePage, listed, 200).cases.find(({ id }) => id === found.id)).toEqual(shown)
  })
})

describe('a decision', () => {
  it('is in force with its answer, and its owner and reporter are told', async () => {
    const { ada, bob, moderator, other, asset } = await scene()
    const target = { type: 'asset', id: asset.id }
    const reported = await report(bob, target)
    const { id } = await caseOf(moderator, target)
    const decision = await decide(moderator, id, { action: 'block', note: 'for us' })
    expect(await bob.get(`/game/assets/${asset.id}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    const [own] = made(DecisionPage, await ada.get('/decisions'), 200).decisions
    expect(own).toMatchObject({ id: decision.id, action: 'block', statement: 'A slogan on the wall.' })
    expect(JSON.stringify(own)).not.toContain(moderator.id)
    const outcome = made(Report, await bob.get(`/reports/${reported.id}`), 200)
    expect(outcome).toMatchObject({ state: 'decided', decision: { id: decision.id, action: 'block' } })
    const appeal = made(
      Appeal,
      await POST(ada, `/decisions/${decision.id}/appeal`, { text: 'It is my guild’s.' }),
      201,
    )
    expect(await POST(ada, `/decisions/${decision.id}/appeal`, { text: 'Again.' })).toBeProblem(
      409,
      'APPEAL_CLOSED',
    )
    expect(await POST(bob, `/decisions/${decision.id}/appeal`, { text: 'Me too.' })).toBeProblem(
      404,
      'DECISION_NOT_FOUND',
    )
    const answer = { outcome: 'reversed', answer: 'You are right.' }
    expect(await POST(moderator, `/moderation/cases/${id}/appeal`, answer)).toBeProblem(403, 'FORBIDDEN')
    const appealed = made(
      CasePage,
      await moderator.get('/moderation/cases?state=appealed&limit=100'),
      200,
    ).cases
    expect(appealed.find((one) => one.id === id)).toMatchObject({ state: 'appealed', appeal })
    const answered = made(Appeal, await POST(other, `/moderation/cases/${id}/appeal`, answer), 200)
    expect(answered).toMatchObject({ state: 'reversed', answer: 'You are right.' })
    expect((await bob.get(`/game/assets/${asset.id}`)).status).toBe(200)
    expect(made(Decision, await ada.get(`/decisions/${decision.id}`), 200)).toMatchObject({
      appeal: answered,
    })
  })

  it('that another took the place of meanwhile is refused with it', async () => {
    const { moderator, other, asset } = await scene()
    const { id } = await caseOf(moderator, { type: 'asset', id: asset.id }, 201)
    const first = await decide(moderator, id)
    const answer = await POST(other, `/moderation/cases/${id}/decisions`, {
      action: 'none',
      ground: 'terms',
      statement: 'Nothing.',
    })
    expect(answer).toBeProblem(409, 'CASE_DECIDED')
    expect(JSON.parse(answer.text)).toMatchObject({ decision: { id: first.id } })
    const second = await decide(other, id, { action: 'rate', rating: 'mature', replaces: first.id })
    expect(second).toMatchObject({ rating: 'mature' })
    expect((await moderator.request('DELETE', `/moderation/decisions/${second.id}`)).status).toBe(204)
    expect((await moderator.request('DELETE', `/moderation/decisions/${second.id}`)).status).toBe(204)
    expect(await caseOf(moderator, { type: 'asset', id: asset.id })).toMatchObject({ state: 'decided' })
  })
})

describe('many reports', () => {
  it('hide an asset until somebody looks', async () => {
    const { ada, moderator, asset } = await scene()
    const hiding = settledService({ HIDE_AFTER_REPORTS: '2' })
    const target = { type: 'asset', id: asset.id }
    for (const name of ['cid', 'dora']) {
      const user = await signUp(name)
      const sent = await POST(user.through(hiding), '/reports', { target, category: 'spam' })
      expect(sent.status).toBe(201)
    }
    const found = await caseOf(moderator, target)
    expect(found).toMatchObject({ state: 'open', decision: { action: 'unlist', is_automated: true } })
    const { notifications } = await inbox(ada)
    expect(notifications.map(({ type }) => type)).toEqual(['moderation.decision'])
  })
})
