import { expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { newUserId } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { anotherIsolate, serviceWith } from '../support/service.ts'
import { operator } from '../support/user.ts'

const ROUNDS = 10

it('makes one entry an hour of reading on behalf of a player, however many isolates read at once', async () => {
  const isolates = [undefined, await anotherIsolate(), await anotherIsolate()]
  const services = isolates.map((isolate) => serviceWith({}, isolate))
  const [support, auditor] = [await operator('players:read'), await operator('audit:read')]
  const players = Array.from({ length: ROUNDS }, newUserId)
  for (const player of players) {
    const headers = { 'On-Behalf-Of': player }
    const answers = await Promise.all(
      services.map((service, index) =>
        support.through(service).get(index > 0 ? '/files' : '/trash', headers),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  }
  const { entries } = made(records.AuditPage, await auditor.get(`/audit?actor=${support.id}&limit=100`), 200)
  expect(entries.map(({ user_id }) => user_id)).toEqual(players.toReversed())
})
