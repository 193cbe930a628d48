import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { Creator, signUpCreator } from '../support/creator.ts'
import { newKey, unknownId } from '../support/ids.ts'
import { inbox } from '../support/notifications.ts'
import { records } from '../support/records.ts'
import { answer, appeal, caseOf, decide, moderator, ofAsset, post, report } from '../support/safety.ts'
import { settledService } from '../support/service.ts'
import { signUp } from '../support/user.ts'

const { Appeal, CasePage, Decision, DecisionPage, GameAssetWithVersions, ModeratorsDecision, Report } =
  records

/** The service, which sends notifications before it answers. */
const service = settledService({})
const single = settledService({ MODERATORS: 'single' })

async function scene(declared: Record<string, unknown> = {}) {
  const ada = await signUpCreator('ada')
  const [bob, mod, other] = [
    (await signUp('bob')).through(service),
    await moderator(service),
    await moderator(service),
  ]
  const asset = await ada.asset('maze', { visibility: 'public', ...declared })
  return { ada, bob, mod, other, asset, found: await caseOf(mod, ofAsset(asset)) }
}

describe('a decision', () => {
  it('blocks with its answer; owner and reporter are told what, and not by whom', async () => {
    const { ada, bob, mod, asset, found } = await scene()
    const reported = await report(bob, ofAsset(asset))
    const decision = await decide(mod, found, { action: 'block', note: 'for us alone' })
    expect(await bob.get(`/game/assets/${asset.id}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    const [own] = made(DecisionPage, await ada.get('/decisions'), 200).decisions
    expect(own).toMatchObject({
      id: decision.id,
      name: 'maze',
      action: 'block',
      statement: 'A slogan on the wall.',
    })
    const outcome = made(Report, await bob.get(`/reports/${reported.id}`), 200)
    expect(outcome).toMatchObject({
      state: 'decided',
      decision: { id: decision.id, action: 'block', appeal: null },
    })
    const target = ofAsset(asset)
    const [toAda, toBob] = [await inbox(ada), await inbox(bob)]
    expect(toAda.notifications).toMatchObject([
      {
        type: 'moderation.decision',
        data: { decision_id: decision.id, target, name: 'maze', action: 'block' },
      },
    ])
    expect(toBob.notifications).toMatchObject([
      { type: 'moderation.report_decided', data: { report_id: reported.id, target, action: 'block' } },
    ])
    for (const text of [own, outcome, toAda, toBob].map((value) => JSON.stringify(value)))
      for (const secret of [mod.id, 'for us alone']) expect(text).not.toContain(secret)
  })

  it('takes an asset out of the catalogue, whatever its owner does, until it is lifted', async () => {
    const { ada, mod, asset, found } = await scene()
    const shown = () => ada.assetNames(`/public?owner_id=${ada.id}`)
    expect(await shown()).toEqual(['maze'])
    const decision = await decide(mod, found, { action: 'unlist' })
    expect(await shown()).toEqual([])
    expect((await ada.request('PUT', `/game/assets/${asset.id}`, { json: { listed: true } })).status).toBe(
      200,
    )
    expect(await shown()).toEqual([])
    expect(made(GameAssetWithVersions, await mod.get(`/game/assets/${asset.id}`), 200).id).toBe(asset.id)
    const { asset: branch } = await ada.branched(asset, 'mine')
    expect(
      (await ada.request('PUT', `/game/assets/${branch.id}`, { json: { visibility: 'public' } })).status,
    ).toBe(200)
    expect(await shown()).toEqual([])
    for (const _ of [1, 2])
      expect((await mod.request('DELETE', `/moderation/decisions/${decision.id}`)).status).toBe(204)
    expect(await shown()).toEqual(['maze'])
    expect(await caseOf(mod, ofAsset(asset))).toMatchObject({
      state: 'decided',
      decision: { id: decision.id },
    })
  })

  it('is the branch’s own from the first one on, which ends what the branch took over', async () => {
    const { ada, bob, mod, asset, found } = await scene()
    const unlisted = await decide(mod, found, { action: 'unlist' })
    const { asset: listed } = await ada.branched(asset, 'listed')
    const blocked = await decide(mod, found, { action: 'block', replaces: unlisted.id })
    const { asset: hidden } = await ada.branched(asset, 'hidden')
    for (const { id } of [listed, hidden])
      expect(
        (await ada.request('PUT', `/game/assets/${id}`, { json: { visibility: 'public' } })).status,
      ).toBe(200)
    await mod.request('DELETE', `/moderation/decisions/${blocked.id}`)
    expect(await ada.assetNames(`/public?owner_id=${ada.id}`)).toEqual(['maze'])
    expect(await bob.get(`/game/assets/${hidden.id}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    for (const branch of [listed, hidden])
      await decide(mod, await caseOf(mod, ofAsset(branch)), { action: 'none' })
    expect((await ada.assetNames(`/public?owner_id=${ada.id}`)).sort()).toEqual(['hidden', 'listed', 'maze'])
    expect((await bob.get(`/game/assets/${hidden.id}`)).status).toBe(200)
  })

  it('rates, locks the rating, and gives the owner’s back when it is lifted', async () => {
    const { ada, mod, asset, found } = await scene({ rating: 'everyone' })
    const rate = (rating: string) => ada.request('PUT', `/game/assets/${asset.id}`, { json: { rating } })
    const rated = async () =>
      made(GameAssetWithVersions, await ada.get(`/game/assets/${asset.id}`), 200).rating
    const decision = await decide(mod, found, { action: 'rate', rating: 'teen' })
    expect(await rate('everyone')).toBeProblem(403, 'RATING_LOCKED')
    expect(await rated()).toBe('teen')
    await decide(mod, found, { action: 'none', replaces: decision.id })
    expect(await rated()).toBe('everyone')
    expect((await rate('mature')).status).toBe(200)
  })

  it('that another took the place of meanwhile is refused with it, and changes nothing', async () => {
    const { bob, mod, other, asset, found } = await scene()
    const first = await decide(mod, found)
    const reported = await report(bob, ofAsset(asset))
    const body = { action: 'block', ground: 'law', statement: 'Nothing.' }
    const refused = await post(other, `/moderation/cases/${found.id}/decisions`, body)
    expect(refused).toBeProblem(409, 'CASE_DECIDED')
    expect(JSON.parse(refused.text)).toMatchObject({ decision: { id: first.id } })
    expect((await bob.get(`/game/assets/${asset.id}`)).status).toBe(200)
    expect(made(Report, await bob.get(`/reports/${reported.id}`), 200).state).toBe('open')
    await decide(other, found, { replaces: first.id })
    const gone = await post(other, `/moderation/cases/${found.id}/decisions`, {
      ...body,
      replaces: unknownId,
    })
    expect(gone).toBeProblem(409, 'CASE_DECIDED')
  })

  it('is made once with one key, and the key belongs to it', async () => {
    const { mod, found } = await scene()
    const key = newKey()
    const body = { action: 'warn', ground: 'terms', statement: 'Look at the rules.' }
    const path = `/moderation/cases/${found.id}/decisions`
    const first = made(ModeratorsDecision, await post(mod, path, body, key), 201)
    expect(made(ModeratorsDecision, await post(mod, path, body, key), 201)).toEqual(first)
    const another = { ...body, statement: 'Another.' }
    expect(await post(mod, path, another, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
  })

  it.each([
    ['user', 'block'],
    ['user', 'unlist'],
    ['file', 'rate'],
    ['file', 'unlist'],
  ] as const)('about a %s is not %s', async (type, action) => {
    const { ada, mod } = await scene()
    const file = await ada.file('secret', 'x')
    const found = await caseOf(mod, { type, id: type === 'user' ? ada.id : file.id })
    const rating = action === 'rate' ? { rating: 'teen' } : {}
    const body = { action, ...rating, ground: 'terms', statement: 'No.' }
    expect(await post(mod, `/moderation/cases/${found.id}/decisions`, body)).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
  })

  it('blocks a file, and a block with a statement is a decision that unblocking lifts', async () => {
    const { ada, bob, mod } = await scene()
    const file = await ada.file('open', 'x')
    await ada.change(file, { is_public: true })
    const block = `/files/${file.id}/block`
    const sent = { json: { statement: 'Somebody’s secret.', ground: 'law', reason: 'for us' } }
    expect((await mod.request('PUT', block, sent)).status).toBe(204)
    expect(await bob.get(`/files/${file.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    const [decision] = made(DecisionPage, await ada.get('/decisions'), 200).decisions
    expect(decision).toMatchObject({ action: 'block', ground: 'law', target: { type: 'file', id: file.id } })
    expect((await mod.request('DELETE', block)).status).toBe(204)
    expect((await bob.get(`/files/${file.id}`)).status).toBe(200)
    expect(made(Decision, await ada.get(`/decisions/${decision?.id}`), 200).lifted_at).not.toBeNull()
    // A block without a statement is no decision, and a decision that does nothing leaves it.
    expect((await mod.request('PUT', block)).status).toBe(204)
    await decide(mod, await caseOf(mod, { type: 'file', id: file.id }), { action: 'none' })
    expect(await bob.get(`/files/${file.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
  })
})

describe('a block with a statement', () => {
  it('of a thing that is gone is refused as one without, though the case is kept', async () => {
    const { ada, mod, asset, found } = await scene()
    const file = await ada.file('gone', 'x')
    await caseOf(mod, { type: 'file', id: file.id })
    await ada.deleteAsset(asset, '?permanent=true')
    await ada.delete(file)
    await ada.purge(file)
    for (const json of [{}, { statement: 'Somebody’s secret.' }]) {
      expect(await mod.request('PUT', `/game/assets/${asset.id}/block`, { json })).toBeProblem(
        404,
        'ASSET_NOT_FOUND',
      )
      expect(await mod.request('PUT', `/files/${file.id}/block`, { json })).toBeProblem(404, 'FILE_NOT_FOUND')
    }
    expect((await caseOf(mod, ofAsset(asset))).decision).toBeNull()
    expect(made(DecisionPage, await ada.get('/decisions'), 200).decisions).toEqual([])
    expect((await mod.get(`/moderation/cases/${found.id}`)).status).toBe(200)
  })
})

describe('an appeal', () => {
  it('is the owner’s, once, and another moderator’s to answer', async () => {
    const { ada, bob, mod, other, asset, found } = await scene()
    await report(bob, ofAsset(asset))
    const decision = await decide(mod, found, { action: 'block' })
    const made_appeal = await appeal(ada, decision)
    expect(await appeal(ada, decision)).toEqual(made_appeal)
    expect(await post(ada, `/decisions/${decision.id}/appeal`, { text: 'Again.' })).toBeProblem(
      409,
      'APPEAL_CLOSED',
    )
    for (const user of [bob, mod])
      expect(await post(user, `/decisions/${decision.id}/appeal`, { text: 'Me.' })).toBeProblem(
        404,
        'DECISION_NOT_FOUND',
      )
    const { cases } = made(
      CasePage,
      await mod.get(`/moderation/cases?state=appealed&owner_id=${ada.id}`),
      200,
    )
    expect(cases).toMatchObject([{ id: found.id, state: 'appealed', appeal: made_appeal }])
    const own = { outcome: 'upheld', answer: 'I was right.' }
    const evasion = { action: 'block', ground: 'terms', statement: 'Again.', replaces: decision.id }
    expect(await post(mod, `/moderation/cases/${found.id}/appeal`, own)).toBeProblem(403, 'FORBIDDEN')
    expect(await post(mod, `/moderation/cases/${found.id}/decisions`, evasion)).toBeProblem(403, 'FORBIDDEN')
    const reversed = await answer(other, found, 'reversed')
    expect((await bob.get(`/game/assets/${asset.id}`)).status).toBe(200)
    expect(made(Decision, await ada.get(`/decisions/${decision.id}`), 200)).toMatchObject({
      appeal: reversed,
    })
    expect(await post(other, `/moderation/cases/${found.id}/appeal`, own)).toBeProblem(409, 'APPEAL_CLOSED')
    expect((await inbox(ada)).notifications[0]).toMatchObject({
      type: 'moderation.appeal_decided',
      data: { decision_id: decision.id, outcome: 'reversed' },
    })
  })

  it('against a decision that did nothing is the reporter’s, and reversed opens the case again', async () => {
    const { ada, bob, mod, asset, found } = await scene()
    await report(bob, ofAsset(asset))
    const decision = await decide(mod, found, { action: 'none' })
    expect(await ada.get(`/decisions/${decision.id}`)).toBeProblem(404, 'DECISION_NOT_FOUND')
    expect(await post(ada, `/decisions/${decision.id}/appeal`, { text: 'I?' })).toBeProblem(
      404,
      'DECISION_NOT_FOUND',
    )
    await appeal(bob, decision)
    await answer(mod.through(single), found, 'reversed')
    expect(await caseOf(mod, ofAsset(asset))).toMatchObject({
      state: 'open',
      decision: { lifted_at: expect.any(Number) },
    })
  })

  it('against a decision that did nothing opens the case again, too, when the decision is lifted', async () => {
    const { bob, mod, other, asset, found } = await scene()
    await report(bob, ofAsset(asset))
    const decision = await decide(mod, found, { action: 'none' })
    await appeal(bob, decision)
    expect((await other.request('DELETE', `/moderation/decisions/${decision.id}`)).status).toBe(204)
    expect(await caseOf(mod, ofAsset(asset))).toMatchObject({ state: 'open', appeal: { state: 'reversed' } })
  })

  it('that is upheld leaves the measure, and one that a new decision ends is upheld where that keeps it', async () => {
    const { ada, bob, mod, other, asset, found } = await scene()
    const first = await decide(mod, found, { action: 'block' })
    await appeal(ada, first)
    expect(await answer(other, found, 'upheld')).toMatchObject({
      state: 'upheld',
      answer: 'We have looked again.',
    })
    expect(await bob.get(`/game/assets/${asset.id}`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    const second = await decide(mod, found, { action: 'unlist', replaces: first.id })
    await appeal(ada, second)
    await decide(other, found, { action: 'warn', replaces: second.id })
    expect(made(Decision, await ada.get(`/decisions/${second.id}`), 200).appeal?.state).toBe('reversed')
  })

  it('is closed when its time is over, and when the decision is lifted', async () => {
    const { ada, mod, found } = await scene()
    const lifted = await decide(mod, found)
    await mod.request('DELETE', `/moderation/decisions/${lifted.id}`)
    expect(await post(ada, `/decisions/${lifted.id}/appeal`, { text: 'Late.' })).toBeProblem(
      409,
      'APPEAL_CLOSED',
    )
    expect(
      made(Appeal.nullable(), { ...(await ada.get('/quota')), text: 'null', body: null }, 200),
    ).toBeNull()
  })
})

describe('an asset that many report', () => {
  it('is hidden until somebody looks, and after that as many others are needed', async () => {
    const { ada, mod, asset, found } = await scene()
    const hiding = settledService({ HIDE_AFTER_REPORTS: '2', HIDE_STATEMENT: 'Many reported it.' })
    const users = await Promise.all(['c', 'd', 'e', 'f'].map((name) => signUp(name)))
    const by = (from: number, to: number) =>
      Promise.all(users.slice(from, to).map((user) => report(user.through(hiding), ofAsset(asset))))
    const state = async () => (await caseOf(mod, ofAsset(asset))).decision
    await by(0, 1)
    expect(await state()).toBeNull()
    await by(1, 2)
    const hidden = await state()
    expect(hidden).toMatchObject({
      action: 'unlist',
      is_automated: true,
      statement: 'Many reported it.',
      moderator_id: null,
    })
    expect((await caseOf(mod, ofAsset(asset))).state).toBe('open')
    expect((await inbox(ada)).notifications.map(({ type }) => type)).toEqual(['moderation.decision'])
    const none = await decide(mod, found, { action: 'none', replaces: hidden?.id })
    await by(0, 2) // the same two again
    expect(await state()).toMatchObject({ id: none.id })
    await by(2, 4)
    expect(await state()).toMatchObject({ is_automated: true })
  })
})

describe('an asset about which a moderator has decided', () => {
  it.each([
    ['none', true],
    ['warn', true],
    ['rate', false],
  ] as const)('%s is hidden by as many new reporters: %s', async (action, isHidden) => {
    const { ada, mod, asset, found } = await scene()
    const hiding = settledService({ HIDE_AFTER_REPORTS: '2' })
    const by = async (name: string) => report((await signUp(name)).through(hiding), ofAsset(asset))
    await by('c')
    const rating = action === 'rate' ? { rating: 'teen' } : {}
    const decision = await decide(mod, found, { action, ...rating })
    const state = async () => (await caseOf(mod, ofAsset(asset))).decision
    await by('e')
    expect(await state()).toMatchObject({ id: decision.id })
    await by('f')
    expect((await state())?.is_automated).toBe(isHidden)
    if (action !== 'rate') return
    // The rating stays locked, and the reports wait for a moderator.
    const lower = { json: { rating: 'everyone' } }
    expect(await ada.request('PUT', `/game/assets/${asset.id}`, lower)).toBeProblem(403, 'RATING_LOCKED')
    expect(await caseOf(mod, ofAsset(asset))).toMatchObject({ state: 'open', report_count: 2 })
  })
})

describe('a moderator who is concerned', () => {
  it('neither decides about their own thing nor answers their own appeal', async () => {
    const { mod, other } = await scene()
    const owner = new Creator(mod.id, mod.token, service)
    const own = await owner.asset('own', { visibility: 'public' })
    const found = await caseOf(other, ofAsset(own))
    const body = { action: 'none', ground: 'terms', statement: 'Nothing.' }
    expect(await post(mod, `/moderation/cases/${found.id}/decisions`, body)).toBeProblem(403, 'FORBIDDEN')
    const decision = await decide(other, found, { action: 'block' })
    expect(await mod.request('DELETE', `/moderation/decisions/${decision.id}`)).toBeProblem(403, 'FORBIDDEN')
    await appeal(owner, decision)
    const reversed = { outcome: 'reversed', answer: 'I am right.' }
    expect(await post(mod, `/moderation/cases/${found.id}/appeal`, reversed)).toBeProblem(403, 'FORBIDDEN')
    // The one who decided does not end the appeal by lifting, either.
    expect(await other.request('DELETE', `/moderation/decisions/${decision.id}`)).toBeProblem(
      403,
      'FORBIDDEN',
    )
    await answer(await moderator(service), found, 'upheld')
  })
})
