import { describe, expect, it } from 'vitest'
import { comparable, made } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { databaseNames } from '../support/databases.ts'
import { newKey, newUserId, unknownId } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { records } from '../support/records.ts'
import { caseOf, decide, moderator, ofAsset, post, report } from '../support/safety.ts'
import { serviceWith } from '../support/service.ts'
import { signUp } from '../support/user.ts'

const { CasePage, Figures, Report, ReportPage } = records

async function scene() {
  const [ada, bob] = [await signUpCreator('ada'), await signUp('bob')]
  return { ada, bob, asset: await ada.asset('maze', { visibility: 'public' }) }
}

describe('a report', () => {
  it('is made once while it is open, and again after it was decided', async () => {
    const { bob, asset } = await scene()
    const first = await report(bob, ofAsset(asset), { text: 'the wall' })
    expect(first).toMatchObject({
      category: 'hate',
      text: 'the wall',
      is_illegal: false,
      state: 'open',
      decision: null,
    })
    expect(await report(bob, ofAsset(asset), { category: 'spam' }, 200)).toEqual(first)
    const mod = await moderator()
    await decide(mod, await caseOf(mod, ofAsset(asset)), { action: 'none' })
    const second = await report(bob, ofAsset(asset), { category: 'spam' })
    const { reports } = made(ReportPage, await bob.get('/reports?limit=1'), 200)
    expect(reports).toEqual([second])
    expect(await caseOf(mod, ofAsset(asset))).toMatchObject({
      state: 'open',
      report_count: 1,
      categories: { spam: 1 },
    })
  })

  it('with one key is one report, and another request with the key is refused', async () => {
    const { ada, bob, asset } = await scene()
    const [key, json] = [newKey(), { target: ofAsset(asset), category: 'spam' }]
    const first = made(Report, await post(bob, '/reports', json, key), 201)
    expect(made(Report, await post(bob, '/reports', json, key), 201)).toEqual(first)
    const other = { ...json, target: ofAsset(await ada.asset('other', { visibility: 'public' })) }
    expect(await post(bob, '/reports', other, key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    const mod = await moderator()
    expect((await caseOf(mod, other.target)).report_count).toBe(0)
  })

  it('names a file that is public or shared with the reporter, and no other', async () => {
    const { ada, bob } = await scene()
    const folder = await ada.folder('open')
    const inside = await ada.file('inside', 'x', { parent_id: folder.id })
    const target = { type: 'file' as const, id: inside.id }
    expect(await post(bob, '/reports', { target, category: 'spam' })).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.share(inside, bob)
    await report(bob, target)
    await ada.change(folder, { is_public: true })
    await report(await signUp('cid'), target)
    const mod = await moderator()
    expect((await mod.request('PUT', `/files/${folder.id}/block`)).status).toBe(204)
    const late = await signUp('dora')
    expect(await post(late, '/reports', { target, category: 'spam' })).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('about oneself or one’s own thing is refused, and so is one that says too little', async () => {
    const { ada, bob, asset } = await scene()
    const file = await ada.file('mine', 'x')
    for (const target of [ofAsset(asset), { type: 'file', id: file.id }, { type: 'user', id: ada.id }])
      expect(await post(ada, '/reports', { target, category: 'spam' })).toBeProblem(400, 'VALIDATION_FAILED')
    const target = ofAsset(asset)
    for (const json of [
      { target, category: 'other' },
      { target, category: 'spam', is_illegal: true },
      { target, category: 'spam', text: '\u202Eevil' },
      { target, category: 'spam', text: 'x'.repeat(2_001) },
      { target, category: 'taste' },
      { target: { type: 'user', id: ' ' }, category: 'spam' },
    ])
      expect(await post(bob, '/reports', json)).toBeProblem(400, 'VALIDATION_FAILED')
    expect(made(ReportPage, await bob.get('/reports'), 200).reports).toEqual([])
  })

  it('of a user whom nobody knows is answered as any other, and nothing follows', async () => {
    const { ada, bob } = await scene()
    const [known, unknown] = [
      { type: 'user' as const, id: ada.id },
      { type: 'user' as const, id: newUserId() },
    ]
    const shape = async (target: typeof known) => {
      const answered = await post(bob, '/reports', { target, category: 'spam' })
      const text = answered.text
        .replaceAll(target.id, 'USER')
        .replaceAll(/[0-9a-f-]{36}/g, 'ID')
        .replaceAll(/\d{10}/g, 'TIME')
      return { ...(comparable({ ...answered, text, body: null }) as object), headers: undefined }
    }
    expect(await shape(unknown)).toEqual(await shape(known))
    const mod = await moderator()
    expect((await caseOf(mod, known)).report_count).toBe(1)
    expect(await post(mod, '/moderation/cases', { target: unknown })).toBeProblem(404, 'CASE_NOT_FOUND')
    expect(made(ReportPage, await bob.get('/reports'), 200).reports).toHaveLength(2)
    // Once there is something of theirs, the open report counts.
    const later = await signUpCreator('later')
    const target = { type: 'user' as const, id: later.id }
    const first = await report(bob, target)
    await later.asset('something')
    expect(await report(bob, target, {}, 200)).toEqual(first)
    expect(await caseOf(mod, target)).toMatchObject({ report_count: 1, categories: { hate: 1 } })
  })

  it('is one of so many a day, and of as many again about what is illegal', async () => {
    const { ada } = await scene()
    const bob = (await signUp('bob')).through(serviceWith({ MAX_REPORTS_PER_DAY: '2' }))
    const assets = await Promise.all(['a', 'b', 'c'].map((name) => ada.asset(name, { visibility: 'public' })))
    const illegal = { is_illegal: true, text: 'Against the law.' }
    const [a, b, c] = assets.map(ofAsset)
    if (!a || !b || !c) throw new Error('three assets')
    await report(bob, a)
    await report(bob, b, illegal)
    await report(bob, b, {}, 200)
    const target = c
    await report(bob, { type: 'user', id: ada.id })
    const refused = await post(bob, '/reports', { target, category: 'spam' })
    expect(refused).toBeProblem(409, 'LIMIT_REACHED')
    expect(JSON.parse(refused.text)).toMatchObject({ limit: 'reports' })
    await report(bob, a, {}, 200)
    await report(bob, target, illegal)
    const mod = await moderator()
    expect((await caseOf(mod, target)).report_count).toBe(1)
  })
})

describe('a thousand reports of one world', () => {
  it('cost each reporter what the first one cost, others nothing, and one decision ends them', async () => {
    const { ada, bob, asset } = await scene()
    const { service, of } = meter()
    const cost = async (name: string) => {
      const user = (await signUp(name)).through(service)
      return of(() => report(user, ofAsset(asset)))
    }
    await report(bob, ofAsset(asset))
    const early = await cost('early')
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 10 }, async () =>
          report(await signUp('many'), ofAsset(asset), { category: 'spam' }),
        ),
      )
    const late = await cost('late')
    expect(late.rows_read).toBeLessThanOrEqual(early.rows_read + 5)
    expect(late.rows_written).toBeLessThanOrEqual(early.rows_written + 5)
    const mod = (await moderator()).through(service)
    const found = await caseOf(mod, ofAsset(asset))
    expect(found).toMatchObject({ report_count: 103, categories: { hate: 3, spam: 100 } })
    expect(found.reports).toHaveLength(100)
    expect((await of(() => mod.get(`/game/assets/${asset.id}`))).rows_read).toBeLessThan(20)
    await decide(mod, found, { action: 'unlist' })
    expect(await caseOf(mod, ofAsset(asset))).toMatchObject({
      report_count: 0,
      categories: {},
      state: 'decided',
    })
    void ada
  })
})

describe('the queue', () => {
  it('reads at most two rows for each case, whatever is asked for', async () => {
    const { ada } = await scene()
    const { service, of } = meter()
    const mod = (await moderator()).through(service)
    const users = await Promise.all(['x', 'y', 'z'].map((name) => signUp(name)))
    const categories = ['spam', 'hate', 'violence']
    for (let number = 0; number < 12; number++) {
      const asset = await ada.asset(`queued ${number}`, { visibility: 'public' })
      for (const [index, user] of users.entries())
        if (number % (index + 1) === 0) await report(user, ofAsset(asset), { category: categories[index] })
    }
    for (const sort of ['oldest', 'reports'])
      for (const filter of [
        '',
        '&category=spam',
        '&category=hate',
        `&owner_id=${ada.id}`,
        '&state=decided',
      ]) {
        const limit = 5
        const seen: string[] = []
        let next: string | null = ''
        while (next !== null) {
          const path = `/moderation/cases?limit=${limit}&sort=${sort}${filter}${next && `&cursor=${next}`}`
          let count = 0
          const { rows_read, trips } = await of(async () => {
            const page = made(CasePage, await mod.get(path), 200)
            count = page.cases.length
            seen.push(...page.cases.map(({ id }) => id))
            next = page.next_cursor
          })
          // Over several databases the names come from the databases of the things, at the same time.
          const others = databaseNames.length === 1 ? 0 : databaseNames.length
          expect(rows_read, path).toBeLessThanOrEqual((others === 0 ? 2 : 3) * count + 20)
          expect(trips, path).toBeLessThanOrEqual(1 + others)
        }
        expect(new Set(seen).size).toBe(seen.length)
        if (filter.includes('owner_id')) expect(seen).toHaveLength(12)
        if (filter.includes('hate')) expect(seen.length).toBeGreaterThanOrEqual(6)
      }
    expect(await mod.get('/moderation/cases?cursor=x')).toBeProblem(400, 'INVALID_CURSOR')
  })
})

describe('the content of a case', () => {
  it('is given to a moderator with a reason, also of what is private or blocked', async () => {
    const { ada } = await scene()
    const mod = await moderator()
    const hidden = await ada.asset('hidden', {}, 'the bytes')
    const found = await caseOf(mod, ofAsset(hidden))
    const answered = await post(mod, `/moderation/cases/${found.id}/content`, {
      reason: 'Is it in the file?',
    })
    expect(answered.status).toBe(200)
    const { url } = JSON.parse(answered.text)
    expect(url).toContain('X-Amz-Signature')
    const empty = await caseOf(mod, ofAsset(await ada.emptyAsset('empty')))
    expect(await post(mod, `/moderation/cases/${empty.id}/content`, { reason: 'x' })).toBeProblem(
      404,
      'VERSION_NOT_FOUND',
    )
    const person = await caseOf(mod, { type: 'user', id: ada.id })
    expect(await post(mod, `/moderation/cases/${person.id}/content`, { reason: 'x' })).toBeProblem(
      400,
      'VALIDATION_FAILED',
    )
    expect(await post(mod, `/moderation/cases/${unknownId}/content`, { reason: 'x' })).toBeProblem(
      404,
      'CASE_NOT_FOUND',
    )
  })
})

describe('the content of a case about an asset', () => {
  it('is that of any version for any platform, also of what players do not get and of a blocked asset', async () => {
    const { ada } = await scene()
    const mod = await moderator()
    const asset = await ada.asset('castle', { visibility: 'public', platform: 'windows' }, 'first')
    await ada.variant(asset, 1, 'ios', 'first of ios')
    await ada.version(asset, 'second')
    await ada.variant(asset, 2, 'ios', 'second of ios')
    await ada.release(asset, 1)
    const { id } = await caseOf(mod, ofAsset(asset))
    const ask = (of: object, of_case = id) =>
      post(mod, `/moderation/cases/${of_case}/content`, { reason: 'a look', ...of })
    const contentOf = async (of: object) => {
      const { url } = made(records.DownloadUrl, await ask(of), 200)
      return (await ada.fetchSigned(url)).text()
    }
    const block = { action: 'block', ground: 'terms', statement: 'It is forbidden here.' }
    for (const isBlocked of [false, true]) {
      if (isBlocked) expect((await post(mod, `/moderation/cases/${id}/decisions`, block)).status).toBe(201)
      expect(await contentOf({})).toBe('first')
      expect(await contentOf({ platform: 'ios' })).toBe('first of ios')
      expect(await contentOf({ platform: 'windows' })).toBe('first')
      expect(await contentOf({ version: 2 })).toBe('second')
      expect(await contentOf({ version: 2, platform: 'ios' })).toBe('second of ios')
      expect(await contentOf({ version: 2, platform: 'web' })).toBe('second')
      expect(await ask({ version: 1, platform: 'web' })).toBeProblem(404, 'VARIANT_NOT_FOUND')
      for (const version of [0, 3, -1, 1e300])
        expect(await ask({ version, platform: 'ios' })).toBeProblem(404, 'VERSION_NOT_FOUND')
      for (const wrong of [{ version: 1.5 }, { version: '1' }, { platform: 'iOS' }])
        expect(await ask(wrong)).toBeProblem(400, 'VALIDATION_FAILED')
    }
    await ada.deleteVariant(asset, 2, 'ios')
    expect(await contentOf({ version: 2, platform: 'ios' })).toBe('second')
    const file = await caseOf(mod, { type: 'file', id: (await ada.file('notes', 'a text')).id })
    for (const [of, path] of [
      [{ version: 1 }, '/version'],
      [{ platform: 'ios' }, '/platform'],
    ] as const)
      expect(await ask(of, file.id)).toBeProblem(400, 'VALIDATION_FAILED', `"path":"${path}"`)
    expect((await ask({}, file.id)).status).toBe(200)
  })
})

describe('the figures', () => {
  it('count what was made in a time', async () => {
    const { bob, asset } = await scene()
    const mod = await moderator()
    const now = Math.floor(Date.now() / 1_000)
    const path = `/moderation/figures?from=${now - 100}&to=${now + 100}`
    const before = made(Figures, await mod.get(path), 200)
    await report(bob, ofAsset(asset), { is_illegal: true, text: 'Against the law.', category: 'fraud' })
    await decide(mod, await caseOf(mod, ofAsset(asset)), { ground: 'law' })
    const after = made(Figures, await mod.get(path), 200)
    expect(after.report_count - before.report_count).toBe(1)
    expect(after.illegal_report_count - before.illegal_report_count).toBe(1)
    expect((after.reports_by_category.fraud ?? 0) - (before.reports_by_category.fraud ?? 0)).toBe(1)
    expect((after.decisions_by_ground.law ?? 0) - (before.decisions_by_ground.law ?? 0)).toBe(1)
    expect(after.median_seconds_to_decision).not.toBeNull()
    for (const range of [`from=${now}&to=${now}`, `from=0&to=${now}`])
      expect(await mod.get(`/moderation/figures?${range}`)).toBeProblem(400, 'VALIDATION_FAILED')
  })
})
