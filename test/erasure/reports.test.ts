import { expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { signUpCreator } from '../support/creator.ts'
import { tokenFor } from '../support/identities.ts'
import { firstUserId } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'
import { records } from '../support/records.ts'
import { operator, User } from '../support/user.ts'

// Of a user of another database the first one knows no erasure.
it('a report that a user of the first database makes right after their erasure is theirs, and an earlier one is nobody’s', async () => {
  const ada = await signUpCreator('ada')
  const id = firstUserId()
  const bob = new User(id, await tokenFor(id))
  const [castle, cave] = [
    await ada.asset('castle', { visibility: 'public' }),
    await ada.asset('cave', { visibility: 'public' }),
  ]
  const report = async ({ id }: { id: string }) => {
    const json = { target: { type: 'asset', id }, category: 'spam', text: 'Again and again.' }
    return made(records.Report, await bob.request('POST', '/reports', { json }), 201)
  }
  const earlier = await report(castle)
  const eraser = await operator('users:erase')
  expect((await eraser.request('DELETE', `/users/${bob.id}`)).status).toBe(202)
  const later = await report(cave)
  await runJobIn(0)
  await runJobIn(0.1)
  expect(await bob.get(`/reports/${earlier.id}`)).toBeProblem(404, 'REPORT_NOT_FOUND')
  expect(made(records.Report, await bob.get(`/reports/${later.id}`), 200)).toEqual(later)
  expect(later.created_at).toBeGreaterThan(earlier.created_at + 30)
})
