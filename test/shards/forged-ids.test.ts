import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { newId, partitionText } from '../../src/platform/db/id.ts'
import { Databases } from '../../src/platform/shards/databases.ts'
import { signUpCreator } from '../support/creator.ts'
import { databaseNames, overEvery } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { isolate } from '../support/service.ts'

/** A map, as in `SHARDS`, that has every partition in the second database. */
const ranges = [{ first: '000', last: 'fff', database: databaseNames[1] ?? '' }]

/** Returns the Databases of a new request in an isolate that has learned no location. */
function newIsolate(): () => Databases {
  const bindings = overEvery((database) => overridden(database, {}))
  return () => new Databases(bindings, { ranges, timeout_ms: 10_000 })
}

const one = sql`SELECT 1 AS one`

/** An id with other text in place of the digits from `at` on. */
const withDigits = (id: string, at: number, digits: string) =>
  id.slice(0, at) + digits + id.slice(at + digits.length)

const id = newId(newUserId())
const forged: Record<string, string> = {
  'digits that are none in the partition': withDigits(id, 20, '0zz'),
  'upper case in the partition': withDigits(id, 20, '7AB'),
  'a character of two units in the partition': withDigits(id, 20, '7👾'),
  'another version': withDigits(id, 14, '4'),
  'another variant': withDigits(id, 19, 'c'),
  'another layout': withDigits(id, 19, 'a'),
  'nothing behind the partition': id.slice(0, 23),
  'something behind the end': `${id}0`,
  'a line behind the end': `${id}\n`,
  'nothing but text': 'x'.repeat(36),
  'no text': '',
}

describe('an id that is forged', () => {
  it.each(Object.entries(forged))(
    'selects no database, and no location is remembered for it: %s',
    async (_, text) => {
      const request = newIsolate()
      const partition = text.slice(20, 23)
      const before = request().nameFor(partition)
      const [chosen, same] = [request().of(text), request().withPartition('000')]
      expect(await chosen.read(one)).toEqual([{ one: 1 }])
      await chosen.write(one)
      await same.read(one)
      expect(chosen.name).toBe(same.name)
      expect(request().nameFor(partition)).toBe(before)
    },
  )

  it('is answered like an unknown id, also by an isolate that has learned no location', async () => {
    const ada = (await signUpCreator('ada')).through(isolate({ SHARDS: '000-fff:DB_1' }))
    const unknown = newId(ada.id)
    for (const path of ['/files/ID', '/files/ID/url', '/shares/ID/url', '/uploads/ID', '/game/assets/ID']) {
      const [known, ...others] = await Promise.all(
        [unknown, ...Object.values(forged).filter((text) => text !== '')].map(async (text) => {
          const { status, body } = await ada.get(path.replace('ID', encodeURIComponent(text)))
          return { status, body: { ...Object(body), request_id: '' } }
        }),
      )
      expect(known?.status).toBe(404)
      for (const other of others) expect(other).toEqual(known)
    }
  })
})

describe('what an isolate learns', () => {
  it('is at most one location for each of the 4,096 partitions, whatever ids it gets', async () => {
    const request = newIsolate()
    const learn = request()
    const texts = Array.from({ length: 5_000 }, (_, number) => number.toString(36).padStart(3, '0'))
    for (const text of ['7zz', '+12', '1000', '', '7AB', ...texts]) learn.remember(text, 'DB_2')
    const learned = texts.filter((text) => request().nameFor(text) === 'DB_2')
    expect(learned.every((text) => /^[0-9a-f]{3}$/.test(text))).toBe(true)
    expect(learned.length).toBeGreaterThan(0)
    for (const text of ['7zz', '+12', '1000', '', '7AB']) expect(request().nameFor(text)).not.toBe('DB_2')
  })

  it('is the right location, whatever ids it gets', async () => {
    const request = newIsolate()
    for (let partition = 0; partition < 12; partition++) {
      const text = partitionText(partition)
      await request()
        .of(withDigits(id, 20, text))
        .read(one)
      expect(request().nameFor(text)).toBe(databaseNames[partition % databaseNames.length])
    }
  })
})
