import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { project } from '../../../scripts/development.ts'
import type { ObjectStorage } from './object-storage.ts'

const Package = z.object({ previousRelease: z.object({ commit: z.string() }) })

interface Notification {
  id: string
  type: string
  data: object
  state: string
  created_at: number
}

interface Event {
  type: string
  seq: number
  unread: number
  data: object
}

/** What the `InboxStore` of both releases has. */
export interface Store {
  transaction<Answer>(work: () => Answer): Answer
  counts(): { seq: number; total: number; unread: number }
  add(notification: Omit<Notification, 'id'>, user_id: string): { data: Notification }
  markRead(ids: string[] | null): unknown
  remove(id: string): unknown
  removeOldest(max: number): unknown[]
  erase(mark: string): number
  since(seq: number): { events: Event[] } | undefined
  keys: {
    record(key: object, response: Notification, expires_at: number): void
    find(key: object, now: number): object | undefined
  }
}

interface Announcement {
  number: number
  type: string
  data: object
  expires_at: number
}

/** What today's has beside that. */
export interface StoreOfToday extends Store {
  page(query: { limit: number; offset: number; state?: 'unread' }): Notification[]
  isBehind(announced: { version: number; latest: number }): boolean
  takeIn(
    list: { version: number; announcements: Announcement[] },
    user_id: string,
    now: number,
  ): { data: object }[]
  removeMany(selection: 'all' | 'read' | { notification_ids: string[] }): object
  removeExpired(max: number, now: number): unknown[]
  nextExpiry(): number | undefined
}

/** Loads the code of the previous release. The result opens an inbox with it. */
export async function previous(): Promise<(storage: ObjectStorage) => Store> {
  const { commit } = Package.parse(JSON.parse(readFileSync(`${project}package.json`, 'utf8'))).previousRelease
  const folder = mkdtempSync(join(tmpdir(), 'previous-inbox-'))
  try {
    const archive = execFileSync('git', ['-C', project, 'archive', commit, 'src'], { maxBuffer: 2 ** 30 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    symlinkSync(`${project}node_modules`, `${folder}/node_modules`)
    const InboxStore = await storeIn<Store>(`${folder}/`)
    return (storage) => new InboxStore(storage)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Loads today's code. The result opens an inbox as its constructor does: it migrates the tables. */
export async function today(): Promise<(storage: ObjectStorage) => StoreOfToday> {
  const InboxStore = await storeIn<StoreOfToday>(project)
  const { migrate } = z
    .object({ migrate: z.custom<(storage: ObjectStorage, steps: readonly string[]) => void>() })
    .parse(await import(`${project}src/platform/lib/object-tables.ts`))
  const { steps } = z
    .object({ steps: z.array(z.string()) })
    .parse(await import(`${project}src/features/notifications/migrations.ts`))
  return (storage) => {
    migrate(storage, steps)
    return new InboxStore(storage)
  }
}

type Constructor<Instance> = new (storage: ObjectStorage) => Instance

async function storeIn<Instance>(root: string): Promise<Constructor<Instance>> {
  const Exports = z.object({ InboxStore: z.custom<Constructor<Instance>>() })
  return Exports.parse(await import(`${root}src/features/notifications/store.ts`)).InboxStore
}
