import { describe, expect, it, vi } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { everyDatabase, overEvery } from '../support/databases.ts'
import { overridden } from '../support/meter.ts'
import { withSessions } from '../support/outgoing.ts'
import { serviceWith } from '../support/service.ts'
import { operator, signUp, type User } from '../support/user.ts'

const POSITION = /^(?:DB_\d+:)?([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32})(?:\.([0-9a-f]{8}))?$/

const bookmarkIn = ({ headers }: Answer) => headers.get('X-D1-Bookmark') ?? ''

/** A bookmark of a write that was `age` seconds ago. */
const written = (bookmark: string, age: number) =>
  `${bookmark.split('.')[0]}.${(Math.floor(Date.now() / 1_000) - age).toString(16).padStart(8, '0')}`

/** A user of a service that tells where each of its sessions begins. */
async function watched(name = 'ada', variables: Record<string, string> = {}) {
  const begun: string[] = []
  const bindings = overEvery((database) =>
    overridden(database, {
      withSession: (constraint: string) => {
        begun.push(constraint)
        return database.withSession(constraint)
      },
    }),
  )
  const user = await signUp(name, serviceWith({ ...bindings, ...variables }))
  /** What `ask` is answered, and where the last session of its request began. */
  const beginning = async (ask: () => Promise<Answer>) => {
    begun.length = 0
    const answer = await ask()
    return { bookmark: bookmarkIn(answer), began: begun.at(-1), status: answer.status }
  }
  return { user, beginning }
}

const list = (user: User, bookmark: string) => user.get('/files', { 'X-D1-Bookmark': bookmark })
const write = (user: User) => user.createFolder({ name: crypto.randomUUID(), asset_type: 'folder' })

describe('a bookmark', () => {
  it('ends with the time of the write in the answer to one, and without it in the answer to a read', async () => {
    const ada = await signUp('ada')
    const before = Math.floor(Date.now() / 1_000)
    const [, , time = ''] = POSITION.exec(bookmarkIn(await write(ada))) ?? []
    expect(Number.parseInt(time, 16)).toBeGreaterThanOrEqual(before)
    expect(Number.parseInt(time, 16)).toBeLessThanOrEqual(before + 60)
    expect(bookmarkIn(await ada.get('/files'))).toMatch(/-[0-9a-f]{32}$/)
  })

  it.skipIf(everyDatabase.length > 1)(
    'has no time after a refused write, which changes nothing',
    async () => {
      const ada = await signUp('ada')
      const refused = await ada.change('019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60', { name: 'x' })
      expect(refused).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(bookmarkIn(refused)).not.toContain('.')
    },
  )

  it('sends the reads after a write to the primary while REPLICA_LAG lasts, and to a replica of that position afterwards', async () => {
    const { user, beginning } = await watched()
    const bookmark = bookmarkIn(await write(user))
    const [, position = ''] = POSITION.exec(bookmark) ?? []
    for (const age of [0, 8])
      expect(await beginning(() => list(user, written(bookmark, age)))).toMatchObject({
        began: 'first-primary',
      })
    for (const age of [11, 1_000])
      expect(await beginning(() => list(user, written(bookmark, age)))).toMatchObject({ began: position })
    expect(await beginning(() => list(user, bookmark.split('.')[0] ?? ''))).toMatchObject({ began: position })
  })

  it('sends a write to the primary, which a replica would only pass on', async () => {
    const { user, beginning } = await watched()
    const old = written(bookmarkIn(await write(user)), 1_000)
    const body = { name: crypto.randomUUID(), asset_type: 'folder' }
    const again = () => user.createFolder(body, { 'X-D1-Bookmark': old })
    expect(await beginning(again)).toMatchObject({ began: 'first-primary', status: 201 })
  })

  it('is repeated with its time while pages of the catalogue may lack the write, and without it afterwards', async () => {
    const { user, beginning } = await watched()
    const bookmark = bookmarkIn(await write(user))
    const young = written(bookmark, 12)
    expect((await beginning(() => list(user, young))).bookmark.split('.')[1]).toBe(young.split('.')[1])
    expect((await beginning(() => list(user, written(bookmark, 20)))).bookmark).not.toContain('.')
  })

  it('reads at once from a replica where REPLICA_LAG is 0', async () => {
    const { user, beginning } = await watched('ada', { REPLICA_LAG: '0' })
    const bookmark = bookmarkIn(await write(user))
    expect(await beginning(() => list(user, bookmark))).toMatchObject({ began: POSITION.exec(bookmark)?.[1] })
  })

  it('of a clock that is ahead reads from the primary, and one that is malformed is refused', async () => {
    const { user, beginning } = await watched()
    const bookmark = bookmarkIn(await write(user))
    expect(await beginning(() => list(user, written(bookmark, -5)))).toMatchObject({ began: 'first-primary' })
    const [, position] = POSITION.exec(bookmark) ?? []
    expect(await beginning(() => list(user, written(bookmark, -1_000)))).toMatchObject({ began: position })
    for (const end of ['.', '.1', '.0000000g', '.0000000000', '.00000000.00000000'])
      expect(await list(user, bookmark.split('.')[0] + end), end).toBeProblem(400, 'VALIDATION_FAILED')
  })

  it('has the time of a write whose outcome is unknown, in the answer that says so', async () => {
    const ada = await signUp('ada')
    const bookmark = bookmarkIn(await ada.get('/files'))
    const lost = overEvery((database) =>
      withSessions(database, (session) => {
        const fails = async () => {
          throw new Error('D1_ERROR: Network connection lost.')
        }
        return {
          batch: fails,
          prepare: (query: string) => ({ bind: () => ({ query, all: fails }) }),
          session,
        }
      }),
    )
    const answer = await ada
      .through(serviceWith(lost))
      .createFolder({ name: 'a', asset_type: 'folder' }, { 'X-D1-Bookmark': bookmark })
    expect(answer).toBeProblem(503, 'UNAVAILABLE')
    expect(bookmarkIn(answer)).toMatch(/\.[0-9a-f]{8}$/)
  })

  it('has the time of a write in another database than the caller’s home', async () => {
    const [moderator, ada] = [await operator('content:moderate'), await signUp('ada')]
    const { id } = await ada.folder('blocked')
    const before = bookmarkIn(await moderator.get('/files'))
    const answer = await moderator.request('PUT', `/files/${id}/block`, {
      json: { note: 'x' },
      headers: { 'X-D1-Bookmark': before },
    })
    expect(answer.status, answer.text).toBe(204)
    expect(bookmarkIn(answer)).toMatch(/\.[0-9a-f]{8}$/)
  })
})

describe('a replica without the last migration', () => {
  /** Replicas that know no table yet. `failing`: the primary does not either. */
  const behind = (failing = false) =>
    overEvery((database) =>
      withSessions(database, (session, constraint) => {
        const fails = async () => {
          throw new Error('D1_ERROR: no such column: kept_bytes at offset 7: SQLITE_ERROR')
        }
        if (constraint === 'first-primary' && !failing) return {}
        return { batch: fails, prepare: () => ({ bind: () => ({ all: fails }) }), session }
      }),
    )

  it('is no failure: the trip is repeated on the primary', async () => {
    const ada = await signUp('ada')
    const folder = await ada.folder('a')
    const [position = ''] = bookmarkIn(await ada.get('/files')).split('.')
    const near = ada.through(serviceWith(behind()))
    const read = await list(near, position)
    expect(read).toMatchObject({ status: 200, body: { files: [{ id: folder.id }] } })
    expect(bookmarkIn(read), 'a refused read is no write').not.toContain('.')
    expect((await near.change(folder, { name: 'b' }, { 'X-D1-Bookmark': position })).status).toBe(200)
  })

  it('is ours when the primary fails too, which is asked once more', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const ada = await signUp('ada')
    const [position = ''] = bookmarkIn(await ada.get('/files')).split('.')
    expect(await list(ada.through(serviceWith(behind(true))), position)).toBeProblem(500, 'INTERNAL')
    errors.mockRestore()
  })
})
