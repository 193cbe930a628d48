import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { meter, overridden } from '../support/meter.ts'
import { newPlayer, type Player } from '../support/saves.ts'
import { serviceWith } from '../support/service.ts'

/** The namespace with stubs of which the call with this number fails with an error of these members. */
function failing(members: Record<string, unknown>, effect: 'before' | 'after') {
  let calls = 0
  const getByName = (name: string) =>
    new Proxy(env.SAVES.getByName(name), {
      get:
        (stub, method) =>
        async (...args: unknown[]) => {
          const member: unknown = Reflect.get(stub, method)
          if (typeof member !== 'function') throw new Error('no method')
          const isFirst = calls++ === 0
          if (isFirst && effect === 'before') throw Object.assign(new Error('lost'), members)
          const answer: unknown = await Reflect.apply(member, stub, args)
          if (isFirst) throw Object.assign(new Error('lost'), members)
          return answer
        },
    })
  return { count: () => calls, SAVES: overridden(env.SAVES, { getByName }) }
}

const follows = { 'If-Match': '"1"' }

describe('saves whose object does not answer', () => {
  it('are UNAVAILABLE, and nothing has changed; an overloaded object is not asked again', async () => {
    for (const members of [{}, { retryable: true, overloaded: true }]) {
      const ada = await newPlayer()
      await ada.save('auto', 'one')
      const { SAVES, count } = failing(members, 'before')
      const answer = await ada.through(serviceWith({ SAVES })).write('auto', 'two', follows)
      expect(answer).toBeProblem(503, 'UNAVAILABLE')
      expect(count()).toBe(1)
      expect(await ada.revisions('auto')).toHaveLength(1)
    }
  })

  it('are asked again by themselves for a write with a condition or a key, which takes effect once', async () => {
    for (const effect of ['before', 'after'] as const)
      for (const headers of [follows, { 'Idempotency-Key': 'key' }]) {
        const ada = await newPlayer()
        await ada.save('auto', 'one')
        const { SAVES, count } = failing({ retryable: true }, effect)
        const answer = await ada.through(serviceWith({ SAVES })).write('auto', 'two', headers)
        expect([answer.status, answer.headers.get('ETag'), count()]).toEqual([200, '"2"', 2])
        expect(await ada.revisions('auto')).toHaveLength(2)
      }
  })

  it('are not asked again for what could be a second revision, nor for a deletion, which would find nothing', async () => {
    const requests: ((player: Player) => Promise<Answer>)[] = [
      (player) => player.write('auto', 'two'),
      (player) => player.restore('auto', { revision: 1 }),
      (player) => player.delete('auto'),
    ]
    for (const request of requests) {
      const ada = await newPlayer()
      await ada.save('auto', 'one')
      const { SAVES, count } = failing({ retryable: true }, 'after')
      expect(await request(ada.through(serviceWith({ SAVES })))).toBeProblem(503, 'UNAVAILABLE')
      expect(count()).toBe(1)
    }
  })
})

it('each request about saves is one call to the object, and none to D1 or R2', async () => {
  let calls = 0
  const counting = overridden(env.SAVES, {
    getByName: (name: string) =>
      new Proxy(env.SAVES.getByName(name), {
        get: (stub, method) => {
          const member: unknown = Reflect.get(stub, method)
          return typeof member !== 'function'
            ? member
            : (...args: unknown[]) => {
                calls++
                return Reflect.apply(member, stub, args)
              }
        },
      }),
  })
  const { service, of } = meter({}, { SAVES: counting })
  const ada = (await newPlayer()).through(service)
  const requests = {
    write: () => ada.write('auto', 'one'),
    conflict: () => ada.write('auto', 'one', { 'If-Match': '"9"' }, '?keep=true'),
    read: () => ada.fetch('auto'),
    list: () => ada.list(),
    revisions: () => ada.revisions('auto'),
    restore: () => ada.restore('auto', { revision: 1 }),
    delete: () => ada.delete('auto'),
    missing: () => ada.user.get('/saves/never'),
  }
  // An isolate reads the list of recalls after the answer of its first request about saves.
  for (let trips = 0; trips === 0; ) trips = (await of(requests.missing)).trips
  for (const [name, send] of Object.entries(requests)) {
    calls = 0
    const cost = await of(send)
    expect({ calls, trips: cost.trips, r2_calls: cost.r2_calls }, name).toEqual({
      calls: 1,
      trips: 0,
      r2_calls: 0,
    })
  }
  calls = 0
  await of(() => ada.write('a b', 'refused before the call'))
  expect(calls).toBe(0)
})
