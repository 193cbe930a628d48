import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runScheduled } from '../../src/janitor/janitor.ts'
import { withSessions } from '../support/outgoing.ts'

afterEach(() => vi.restoreAllMocks())

/** The first database, which says that it has that size. */
function databaseOf(size_after: number): D1Database {
  const sized = <Answer extends D1Result>(answer: Answer) => ({
    ...answer,
    meta: { ...answer.meta, size_after },
  })
  return withSessions(env.DB, (session) => ({
    batch: async (statements: D1PreparedStatement[]) => (await session.batch(statements)).map(sized),
  }))
}

describe('the size of a database', () => {
  it('is in the line of each run, and from 6 GB on another line asks for a further database', async () => {
    const [log, warn] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn')]
    const told = async (size: number) => {
      log.mockClear()
      warn.mockClear()
      await runScheduled({ ...env, DB: databaseOf(size) }, 'DB')
      const lines = [...log.mock.calls, ...warn.mock.calls].map(([line]) => JSON.parse(String(line)))
      return lines.map(({ message, database, size_bytes }) => ({ message, database, size_bytes }))
    }
    const ran = (size_bytes: number) => ({ message: 'the job ran', database: 'DB', size_bytes })
    expect(await told(6e9)).toEqual([ran(6e9)])
    expect(await told(6e9 + 1)).toEqual([
      ran(6e9 + 1),
      { message: 'the database is filling up', database: 'DB', size_bytes: 6e9 + 1 },
    ])
  })
})
