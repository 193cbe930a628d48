import { expect, it } from 'vitest'
import { ask } from '../http/authorisation/ask.ts'
import { relations } from '../http/authorisation/relations.ts'
import { signUpCreator } from '../support/creator.ts'
import { allEndpoints } from '../support/description.ts'
import { unknownId } from '../support/ids.ts'
import { answer, appeal, caseOf, decide, moderator, ofAsset, report } from '../support/safety.ts'
import { settledService } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const service = settledService({})
const NOTE = 'a note that only moderators read'

/** Each request that a player may send, with what it names. */
const described = await allEndpoints()
const playersRequests = relations.flatMap((relation) => {
  const endpoint = described.find(({ method, path }) => method === relation.method && path === relation.path)
  return endpoint && endpoint.operation['x-scopes'] === undefined ? [{ relation, endpoint }] : []
})
/** Reads before writes, and deletions last, so that as much as possible answers with a record. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
playersRequests.sort((a, b) => ORDER.indexOf(a.endpoint.method) - ORDER.indexOf(b.endpoint.method))

it('no answer and no notification tells a player who decided, or what moderators note', async () => {
  const ada = await signUpCreator('ada')
  const bob = (await signUp('bob')).through(service)
  const [mod, other] = [await moderator(service), await moderator(service)]
  const file = await ada.file('secret', 'x')
  await ada.share(file, bob)
  const asset = await ada.asset('maze', { visibility: 'public' })
  const reported = await report(bob, ofAsset(asset))
  const found = await caseOf(mod, ofAsset(asset))
  const decision = await decide(mod, found, { action: 'rate', rating: 'teen', note: NOTE })
  await appeal(ada, decision)
  await answer(other, found, 'upheld')
  const ofFile = await caseOf(mod, { type: 'file', id: file.id })
  await decide(mod, ofFile, { action: 'block', note: NOTE })
  const person = await caseOf(mod, { type: 'user', id: ada.id })
  const warning = await decide(mod, person, { action: 'warn', note: NOTE })
  const named: Record<string, string> = {
    asset: asset.id,
    file: file.id,
    decision: decision.id,
    report: reported.id,
    user: ada.id,
  }
  const told: string[] = []
  for (const user of [ada, bob] satisfies User[])
    for (const { relation, endpoint } of playersRequests) {
      const ids =
        relation.thing === 'decision' ? [decision.id, warning.id] : [named[relation.thing] ?? unknownId]
      for (const id of ids) {
        const { text } = await ask(user, endpoint, { place: relation.place, id })
        for (const secret of [mod.id, other.id, NOTE])
          if (text.includes(secret)) told.push(`${relation.method} ${relation.path}: ${text}`)
      }
    }
  expect(told).toEqual([])
  const records = (await ada.get(`/decisions/${decision.id}`)).text
  expect(records).toContain('A slogan on the wall.')
})
