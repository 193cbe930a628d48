import { env, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'

it('ends the run although an object still logs after the last test', async () => {
  const printing = globalThis.console
  const late = env.INBOX.getByName('late')
  await runInDurableObject(late, (_, object) => {
    const log = async () => {
      // A line of an object is sent with the next message of the file: after the last one, never.
      while (globalThis.console === printing) {
        console.warn('late')
        await scheduler.wait(1)
      }
    }
    object.waitUntil(log())
  })
  expect(await late.counts()).toMatchObject({ total: 0 })
})
