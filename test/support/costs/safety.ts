import { env } from 'cloudflare:test'
import { vi } from 'vitest'
import { signUpCreator } from '../creator.ts'
import { newUserId } from '../ids.ts'
import { caseOf, ofAsset, post, report } from '../safety.ts'
import { operator, signUp } from '../user.ts'
import { audited, type Budget, type Measuring } from './measure.ts'
import { FEW, type World } from './world.ts'

/** Waits until the notifications of a request have been sent, which happens after its answer. */
async function notified(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await env.DB.prepare('SELECT 1 FROM moderation_notices').all()
    if (waiting.results.length > 0) throw new Error('notices wait')
  })
}

/** Requests about reports, cases and decisions. The thing that is reported has `count` reports, 15 at most: a request notifies no more. */
export async function measureSafety({ measure, service }: Measuring, { count }: World): Promise<void> {
  const ada = await signUpCreator('ada', service)
  const asset = await ada.asset(`reported ${newUserId()}`, { visibility: 'public' })
  const target = ofAsset(asset)
  const bob = await signUp('bob', service)
  const [mod, other] = [
    await operator('content:moderate', service),
    await operator('content:moderate', service),
  ]
  for (let number = 0; number < (count > FEW ? 15 : 2); number++)
    await report(await signUp('reporter', service), target)
  const written = (rows_written: number, more: Budget = {}): Budget => ({ trips: 1, rows_written, ...more })
  const body = { target, category: 'hate' }
  await measure('report an asset', () => post(bob, '/reports', body), 201, written(25))
  await measure('report it again', () => post(bob, '/reports', body), 200, written(0))
  const { id } = await report(bob, target, {}, 200)
  await measure('get a report', () => bob.get(`/reports/${id}`), 200, { trips: 1, rows_read: 5 })
  await measure('list reports', () => bob.get('/reports'), 200, { trips: 1, rows_read: 20, varies: 'always' })
  const opening: Budget = { ...audited({ trips: 3, rows_written: 0 }), grows: true }
  await measure('open a case', () => post(mod, '/moderation/cases', { target }), 200, opening)
  const found = await caseOf(mod, target)
  for (const filter of ['', '&category=hate', '&sort=reports', `&owner_id=${ada.id}`])
    await measure(
      `list 20 cases${filter && `, ${filter.slice(1).replace(ada.id, '…')}`}`,
      () => mod.get(`/moderation/cases?limit=20${filter}`),
      200,
      { trips: 1, rows_read: 60, rows_written: 0, varies: 'always' },
    )
  await measure('get a case', () => mod.get(`/moderation/cases/${found.id}`), 200, {
    trips: 1,
    rows_read: 320,
    grows: true,
  })
  const reason = { reason: 'Is it in the file?' }
  const content = `/moderation/cases/${found.id}/content`
  await measure('get the content of a case', () => post(mod, content, reason), 200, {
    ...audited({ trips: 2, rows_written: 0 }),
    grows: true,
  })
  const decision = { action: 'block', ground: 'terms', statement: 'It is forbidden here.' }
  const decisions = `/moderation/cases/${found.id}/decisions`
  await measure('decide about a case', () => post(mod, decisions, decision), 201, {
    ...audited({ trips: 5, rows_written: 60 }),
    varies: 'always',
    grows: true,
  })
  await notified()
  const made = (await caseOf(mod, target)).decision
  if (!made) throw new Error('no decision')
  await measure('list decisions', () => ada.get('/decisions'), 200, {
    trips: 1,
    rows_read: 30,
    varies: 'always',
  })
  await measure('get a decision', () => ada.get(`/decisions/${made.id}`), 200, {
    trips: 1,
    rows_read: 5,
  })
  await measure('get a decision as a moderator', () => mod.get(`/moderation/decisions/${made.id}`), 200, {
    trips: 1,
    rows_read: 5,
  })
  await measure(
    'appeal against a decision',
    () => post(ada, `/decisions/${made.id}/appeal`, { text: 'Look again.' }),
    201,
    written(20),
  )
  const answer = { outcome: 'upheld', answer: 'It stays.' }
  await measure('answer an appeal', () => post(other, `/moderation/cases/${found.id}/appeal`, answer), 200, {
    ...audited({ trips: 5, rows_written: 20 }),
    varies: 'always',
  })
  await notified()
  await measure('lift a decision', () => mod.request('DELETE', `/moderation/decisions/${made.id}`), 204, {
    ...audited({ trips: 5, rows_written: 45 }),
    varies: 'always',
  })
  await notified()
  const now = Math.floor(Date.now() / 1_000)
  await measure(
    'get the figures',
    () => mod.get(`/moderation/figures?from=${now - 1_000}&to=${now + 1_000}`),
    200,
    {
      trips: 1,
      varies: 'always',
    },
  )
}
