import { afterAll, vi } from 'vitest'
import { issue, users } from './identities.ts'
import { made, service, skip } from './reach.ts'

// fetch wants to be told of a body that is sent while the answer may come.
globalThis.Request = class extends Request {
  constructor(input: RequestInfo | URL, init: RequestInit = {}) {
    super(input, init.body instanceof ReadableStream ? Object.assign({ duplex: 'half' }, init) : init)
  }
}

// The clock of the tests is not that of the service.
for (const set of ['useFakeTimers', 'setSystemTime'] as const) vi[set] = () => skip('sets the clock')

const remove = (path: string, Authorization: string) =>
  fetch(service + path, { method: 'DELETE', headers: { Authorization } })

/**
 * Removes what the tests of a file have made: each thing of the users whose tokens are given, otherwise the users. Users of a
 * development server stay.
 */
afterAll(async () => {
  if (process.env.SMOKE_TOKEN)
    for (const { path, Authorization } of made.reverse()) {
      await remove(path.startsWith('/v1/game/') ? `${path}?permanent=true` : path, Authorization)
      if (path.startsWith('/v1/files/')) await remove(path.replace('/files/', '/trash/'), Authorization)
    }
  made.length = 0
  if (users.size === 0 || process.env.ACCEPTANCE_DEVELOPMENT) return
  const Authorization = `Bearer ${await issue('acceptance', 'users:erase')}`
  const waiting = [...users]
  users.clear()
  const eraseInTurn = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await erase(id, Authorization)
  }
  await Promise.all(Array.from({ length: 4 }, eraseInTurn))
})

async function erase(user_id: string, Authorization: string): Promise<void> {
  const { status } = await remove(`/v1/users/${encodeURIComponent(user_id)}`, Authorization)
  if (status >= 400) throw new Error(`${user_id} could not be erased: ${status}`)
}
