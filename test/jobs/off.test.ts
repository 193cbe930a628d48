import { env, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteFile } from '../../src/features/files/delete.ts'
import { purgeFile } from '../../src/features/trash/purge.ts'
import { Janitor } from '../../src/janitor/janitor.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { file, there } from '../support/acts.ts'
import { bytes } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { countOf } from '../support/databases.ts'
import { newUserIdIn } from '../support/ids.ts'
import { runJobIn } from '../support/objects.ts'
import { openAccount } from '../support/seed.ts'
import { serviceWith } from '../support/service.ts'
import { put, signUp, type User } from '../support/user.ts'

const FILES = 3
/** A run that removes a part of the backlog. */
const SHORT = { JOB_QUERIES: '100' }
const KEYS = 22_000
const OFF = { JOB: 'off', ...SHORT }

/** What the janitor of the first database does with these variables, and when its alarm rings next. */
function janitorWith<Result>(variables: Record<string, string>, act: (janitor: Janitor) => Promise<Result>) {
  const bindings = { ...env, ...variables }
  return runInDurableObject(env.JANITOR.getByName('janitor'), async (_, state) => {
    await state.storage.deleteAlarm() // as when it rings
    const result = await act(new Janitor(state, bindings))
    return { result, next: await state.storage.getAlarm() }
  })
}

/** More outdated keys than one run deletes, and contents that are due. Returns the contents' keys. */
async function backlog(): Promise<string[]> {
  await runJobIn(0) // pairs database and bucket
  const work = contextOf(newUserIdIn(FIRST))
  const keys: string[] = []
  for (let i = 0; i < FILES; i++) {
    const { id, object_key } = await file(work)
    keys.push(there(object_key ?? undefined))
    await deleteFile(work, id)
    await purgeFile(work, id)
  }
  const busy = newUserIdIn(FIRST)
  await openAccount(busy)
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO idempotency SELECT ?, i, 'h', 'm', 1 FROM n`,
  )
    .bind(KEYS, busy)
    .run()
  return keys
}

const keysLeft = () => countOf('idempotency WHERE created_at = 1')
const isThere = async (key: string) => (await env.BUCKET.head(key)) !== null
const areThere = (keys: string[]) => Promise.all(keys.map(isThere))
const all = (answer: boolean) => Array(FILES).fill(answer)

beforeEach(() => env.DB.exec('DELETE FROM idempotency'))
afterEach(() => vi.restoreAllMocks())

describe('with JOB=off and a backlog', () => {
  it('an alarm that rings deletes nothing, sets no other alarm, and says so in the log', async () => {
    const keys = await backlog()
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { next } = await janitorWith(OFF, (janitor) => janitor.alarm())
    expect(next).toBeNull()
    expect(await areThere(keys)).toEqual(all(true))
    expect(await keysLeft()).toBe(KEYS)
    expect(log).toHaveBeenCalledWith(JSON.stringify({ message: 'the job is off', database: FIRST }))
  })

  it('a schedule that still wakes it changes nothing', async () => {
    const keys = await backlog()
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { result, next } = await janitorWith(OFF, (janitor) => janitor.wake(FIRST))
    expect({ result, next }).toEqual({ result: { queries: 0, calls: 0, is_off: true }, next: null })
    expect(await areThere(keys)).toEqual(all(true))
  })

  it('the schedule wakes it when it is on again, and its alarm goes on until nothing is left', async () => {
    const keys = await backlog()
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    await janitorWith(OFF, (janitor) => janitor.alarm())
    const { next } = await janitorWith(SHORT, (janitor) => janitor.wake(FIRST))
    expect(next).not.toBeNull()
    expect(await keysLeft()).toBeGreaterThan(0)
    for (let alarm = next; alarm !== null; )
      alarm = (await janitorWith(SHORT, (janitor) => janitor.alarm())).next
    expect(await areThere(keys)).toEqual(all(false))
    expect(await keysLeft()).toBe(0)
  })

  it.each<[what: string, end: (user: User, id: string) => Promise<unknown>]>([
    ['an abort', (user, id) => user.abort({ id })],
    ['a completion that fails', (user, id) => user.complete({ id })],
  ])('%s leaves the object to the job', async (_, end) => {
    const ada = await signUp('ada', serviceWith(OFF))
    const upload = await ada.upload({ name: 'a.txt', size_bytes: 5, mime_type: 'text/plain' })
    await put(upload, bytes('hello'), { 'Content-Encoding': 'gzip' })
    await end(ada, upload.id)
    expect(await isThere(upload.id)).toBe(true)
    await runJobIn(0)
    expect(await isThere(upload.id)).toBe(false)
  })
})
