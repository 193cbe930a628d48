import { expect, it, vi } from 'vitest'
import { facetsOf } from '../../src/features/catalogue/facets.ts'
import { cataloguePage } from '../../src/features/catalogue/page.ts'
import type { LaterContext, RequestContext } from '../../src/platform/context.ts'
import { type Bookmark, textOf } from '../../src/platform/shards/bookmark.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { catalogueDatabase, isCatalogueApart, overEvery } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { withSessions } from '../support/outgoing.ts'

/** The position of the catalogue's database in a second. */
const at = (second: number) => `${second.toString(16).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`
const PRIMARY = 'first-primary'
const seen: Bookmark = { database: 'DB', position: at(0) }

/** Databases that do not answer. */
const failing = overEvery((database) =>
  withSessions(database, () => {
    const fails = async () => {
      throw new Error('D1_ERROR: Network connection lost.')
    }
    return { batch: fails, prepare: () => ({ bind: () => ({ all: fails }) }) }
  }),
)

/** An isolate whose catalogue's database is at the position `at(second)` in each second, and the pages that it serves. */
function isolate(limits: Parameters<typeof contextOf>[2] = {}) {
  const { config } = contextOf(newUserId(), {}, limits)
  const begun: string[] = []
  let second = 0
  const databases = overEvery((database) =>
    overridden(database, {
      withSession: (constraint: string) => {
        if (database === catalogueDatabase) begun.push(constraint)
        const session = database.withSession(constraint)
        let isAsked = false
        return overridden(session, {
          prepare: (query: string) => {
            isAsked = true
            return session.prepare(query)
          },
          getBookmark: () => (constraint !== PRIMARY ? constraint : isAsked ? at(second) : null),
        })
      },
    }),
  )
  /** Asks for a page in this second. Returns where its session begins: at the primary, or at the position of a second. */
  const page = async (
    now: number,
    bookmark: Bookmark | null = seen,
    { isAsked = true, fails = false } = {},
  ) => {
    second = now
    const later: Promise<void>[] = []
    const afterwards: RequestContext['afterwards'] = (work) => {
      const ctx: LaterContext = {
        ...contextOf(newUserId()),
        databases: databasesOver(fails ? failing : databases),
      }
      if (isAsked) later.push(work(ctx))
    }
    const ctx = {
      databases: databasesOver(databases, bookmark ? { bookmark } : {}),
      config,
      now_ms: now * 1_000,
      afterwards,
    }
    begun.length = 0
    await cataloguePage(
      ctx,
      {
        sort: 'published',
        facets: facetsOf({
          tags: [],
          excluded_tags: [],
          hidden: '',
          viewer: { user_id: 'ada', hidden_ratings: '' },
        }),
      },
      { limit: 1 },
    )
    const [constraint] = begun.toReversed()
    await Promise.all(later)
    return constraint
  }
  return { page }
}

it('begins at the primary until the isolate knows a position of 8 seconds ago, and then at the newest such', async () => {
  const { page } = isolate()
  expect(await page(1_000)).toBe(PRIMARY)
  expect(await page(1_007)).toBe(PRIMARY)
  expect(await page(1_008)).toBe(at(1_000))
  expect(await page(1_013)).toBe(at(1_000))
  expect(await page(1_015)).toBe(at(1_007))
})

it('asks for a position every 5 seconds at most, after the answer', async () => {
  const { page } = isolate()
  for (let second = 1_000; second <= 1_020; second++) await page(second)
  // Those that were asked for at 1,000, 1,005 and 1,010 would be the newest at 1,008, 1,013 and 1,018.
  expect(await page(1_021)).toBe(at(1_010))
})

it('is never behind by 15 seconds: begins at the primary when every position is as old', async () => {
  const { page } = isolate()
  await page(1_000)
  expect(await page(1_014, seen, { isAsked: false })).toBe(at(1_000))
  expect(await page(1_015, seen, { isAsked: false })).toBe(PRIMARY)
})

it('begins at the primary for a client that has sent no bookmark, or has written in the last 15 seconds', async () => {
  const { page } = isolate()
  await page(1_000)
  const now = Math.floor(Date.now() / 1_000)
  const wrote = (age: number) => page(1_010, { ...seen, written_at: now - age })
  expect(await wrote(20)).toBe(at(1_000))
  expect(await wrote(13)).toBe(PRIMARY)
  expect(await wrote(0)).toBe(PRIMARY)
  expect(await page(1_010, null)).toBe(PRIMARY)
})

it('begins no earlier than what the client has seen', async () => {
  const { page } = isolate()
  await page(1_000)
  const database = isCatalogueApart ? 'CATALOG' : 'DB'
  expect(await page(1_010, { database, position: at(1_005) })).toBe(at(1_005))
})

it('goes on at the primary when asking for a position fails, and asks again', async () => {
  const { page } = isolate()
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await page(1_000, seen, { fails: true })).toBe(PRIMARY)
  expect(warned).toHaveBeenCalledOnce()
  warned.mockRestore()
  expect(await page(1_009)).toBe(PRIMARY)
  expect(await page(1_018)).toBe(at(1_009))
})

it('begins at the primary always where REPLICA_LAG is 0, and asks for nothing', async () => {
  const { page } = isolate({ REPLICA_LAG: 0 })
  for (const second of [1_000, 1_010, 1_020]) expect(await page(second)).toBe(PRIMARY)
})

it('a bookmark with a later write is the greater text, so that clients keep it', () => {
  const position = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'
  const texts = [undefined, 1, 1_795_000_000, 1_795_000_001].map((written_at) =>
    textOf({ database: 'DB', position, written_at }),
  )
  expect(texts.toSorted()).toEqual(texts)
  expect(textOf({ database: 'DB_2', position })).toBe(`DB_2:${position}`)
})
