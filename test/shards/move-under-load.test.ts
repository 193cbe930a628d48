import { z } from '@hono/zod-openapi'
import { expect, inject, it } from 'vitest'
import { partitionOf } from '../../src/platform/db/id.ts'
import { made } from '../support/answer.ts'
import { everywhere } from '../support/databases.ts'
import { tokenFor } from '../support/identities.ts'
import { digested, everything, settle, usersOf } from '../support/moving.ts'
import { seeded } from '../support/seeded.ts'
import { operator, User } from '../support/user.ts'

/** How many users are moved: `npm run prove -- moves` moves 10,000, with 20 rows each. */
const { seed, amount } = inject('proof')
const USERS = amount || 200
const PARTITIONS = USERS > 1_000 ? ['200', '23f'] : ['200', '207']
const CLIENTS = 4

const Progress = z.looseObject({
  state: z.string(),
  opened: z.array(z.object({ partitions: z.number(), rows: z.number(), ms: z.number() })).default([]),
})
const Overview = z.looseObject({ databases: z.array(z.looseObject({ rows: z.number() })) })
const Created = z.looseObject({ id: z.string() })

/** The state that a client was answered: the name of each folder, undefined for a folder in the trash. */
type Ledger = Map<string, { owner: User; name: string | undefined }>

it(
  'loses nothing that was acknowledged while its users were moved, and has nothing twice',
  async () => {
    const [first = '', last = ''] = PARTITIONS
    const partitions: string[] = []
    for (let partition = Number.parseInt(first, 16); partition <= Number.parseInt(last, 16); partition++)
      partitions.push(partition.toString(16))
    const users = usersOf(partitions, USERS, `${seed}`)
    await settle(users, { size: 1, isLight: true })
    const before = await everything(digested)
    const owned = before.rows.length

    const clients = await Promise.all(
      users.slice(0, 100).map(async (user_id) => new User(user_id, await tokenFor(user_id))),
    )
    const ledger: Ledger = new Map()
    const figures = { requests: 0, frozen: 0 }
    let isMoving = true
    const load = Promise.all(
      Array.from({ length: CLIENTS }, async (_, place) => {
        const random = seeded(seed + place)
        while (isMoving) {
          const owner = clients[Math.floor(random() * clients.length)]
          const [number, isDeleted] = [Math.floor(random() * 1e6), random() < 0.1]
          if (owner) await act(owner, { number, isDeleted }, ledger, figures)
        }
      }),
    )
    load.catch(() => {
      isMoving = false // ends the mover too; the promise of the load has the error
    })
    const mover = await operator('shards:move')
    const overview = made(Overview, await mover.get('/shards'), 200)
    const counted_rows = overview.databases.reduce((sum, { rows }) => sum + rows, 0)
    const frozen: { ms: number }[] = []
    const began = Date.now()
    let refused = 0
    try {
      while (isMoving) {
        const json = { first, last, database: 'DB_2' }
        const answer = await mover.request('POST', '/shards/move', { json })
        if (answer.status === 503 && ++refused < 1_000) continue // npm run shards asks again, too
        const { state, opened } = made(Progress, answer, 200)
        frozen.push(...opened)
        if (state === 'moved') break
        expect(state, answer.text).toBe('moving')
      }
    } finally {
      isMoving = false // ends the clients also when the test has failed
    }
    const took = Date.now() - began
    await load

    for (const [id, { owner, name }] of ledger) {
      const answer = await owner.get(`/files/${id}`)
      if (name === undefined) expect(answer.status, answer.text).toBe(404)
      else expect(answer.body, answer.text).toMatchObject({ file: { name } })
    }
    const after = await everything(digested)
    expect(after.strays).toEqual([])
    const kept = new Set(after.rows.filter((row) => !row.startsWith('usage ')))
    expect(before.rows.filter((row) => !row.startsWith('usage ') && !kept.has(row))).toEqual([])
    const added = ledger.size
    const counted = await everywhere<{ items: number; files: number }>(
      `SELECT (SELECT coalesce(sum(items), 0) FROM usage) AS items, (SELECT count(*) FROM files) AS files`,
    )
    for (const { items, files } of counted) expect(items).toBe(files)
    expect(after.rows.filter((row) => row.startsWith('files ')).length).toBe(
      before.rows.filter((row) => row.startsWith('files ')).length + added,
    )
    expect(users.map(partitionOf).every((partition) => partitions.includes(partition))).toBe(true)

    const times = frozen.map(({ ms }) => ms).sort((one, other) => one - other)
    console.log(
      JSON.stringify({
        users: USERS,
        rows: owned,
        counted_rows,
        ms: took,
        portions: frozen.length,
        frozen_ms: { median: times[Math.floor(times.length / 2)], longest: times.at(-1) },
        ...figures,
        acknowledged: ledger.size,
      }),
    )
  },
  24 * 60 * 60 * 1_000,
)

/** Makes a folder, renames it, and moves some of them to the trash. A request during the freeze is answered 503. */
async function act(
  owner: User,
  { number, isDeleted }: { number: number; isDeleted: boolean },
  ledger: Ledger,
  figures: { requests: number; frozen: number },
) {
  const acknowledged = async (request: () => ReturnType<User['get']>, statuses: number[]) => {
    for (;;) {
      figures.requests++
      const answer = await request()
      if (answer.status !== 503) {
        expect(statuses, answer.text).toContain(answer.status)
        return answer
      }
      figures.frozen++
    }
  }
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const name = `made ${number}`
  const answer = await acknowledged(() => owner.createFolder({ name, asset_type: 'folder' }, headers), [201])
  const { id } = Created.parse(answer.body)
  ledger.set(id, { owner, name })
  await acknowledged(() => owner.get(`/files?limit=5`), [200])
  await acknowledged(() => owner.change(id, { name: `${name} again` }), [200])
  ledger.set(id, { owner, name: `${name} again` })
  if (!isDeleted) return
  await acknowledged(() => owner.delete(id), [204])
  ledger.set(id, { owner, name: undefined })
}
