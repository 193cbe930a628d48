/** player.ts ORDERS: plays on a device, and kills itself at a step of it. Prints what it learns as JSON. */
import { writeSync } from 'node:fs'
import { createClient, type SaveConflict } from '#client'
import { seeded } from '../../../support/seeded.ts'
import { fileStore } from './file-store.ts'
import { Content, Orders, slots, type Told } from './orders.ts'

const { baseUrl, token, directory, killAt, writes, first, seed } = Orders.parse(
  JSON.parse(process.argv[2] ?? ''),
)
const random = seeded(seed)
const tell = (told: Told) => writeSync(1, `${JSON.stringify(told)}\n`)
const bytesOf = (content: Content) => new TextEncoder().encode(JSON.stringify(content))
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

let steps = 0
function step(name: string): void {
  if (++steps !== killAt) return
  tell({ what: 'killed', step: name })
  process.kill(process.pid, 'SIGKILL')
}

/** A network that loses some answers, with a step before a request, while it is on its way, and after its answer. */
async function send(request: Request): Promise<Response> {
  step(`${request.method}: before it is sent`)
  const isLost = random() < 0.15
  const answering = fetch(request)
  setImmediate(() => step(`${request.method}: on its way`))
  const answer = await answering
  step(`${request.method}: its answer has come`)
  if (!isLost) return answer
  await answer.body?.cancel()
  throw new TypeError('The answer is lost.')
}

const quick = { minDelayMs: 1, maxDelayMs: 5 }
const client = createClient({ baseUrl, token, fetch: send, retry: { ...quick, attempts: 2 } })
const saves = client.saves.offline(fileStore(directory, step), { backoff: quick })
saves.on('saved', ({ slot, revision, label }) => tell({ what: 'saved', slot, revision, label: label ?? '' }))
saves.on('conflict', ({ slot, current }) => {
  const { revision = 0, device } = current ?? {}
  tell({ what: 'conflict', slot, ...(current && { current: { revision, device: device ?? '' } }) })
})

let number = first
async function keep(slot: string, act: (number: number) => Promise<unknown>): Promise<void> {
  number += 1
  tell({ what: 'writing', slot, number })
  await act(number)
  tell({ what: 'kept', slot, number })
}

/** What the save that waits has merged: the game goes on from that save. If it has been sent meanwhile, the game goes on from what is there. */
async function mergedBefore(slot: string): Promise<string | undefined> {
  if (!(await saves.waiting()).includes(slot)) return undefined
  const { bytes, is_waiting } = await saves.read({ slot })
  return is_waiting ? Content.parse(JSON.parse(textOf(bytes))).merges : textOf(bytes)
}

/** Merges what waits with what is there. */
async function resolve({ slot, resolve }: SaveConflict): Promise<void> {
  const merges = textOf((await client.saves.read({ slot })).bytes)
  await keep(slot, (number) =>
    resolve({ bytes: bytesOf({ number, author: 'killed', merges }), label: String(number) }),
  )
}

for (let written = 0; written < writes; written++) {
  const slot = slots[random() < 0.7 ? 0 : 1]
  const merges = await mergedBefore(slot)
  await keep(slot, (number) =>
    saves.write({
      slot,
      bytes: bytesOf({ number, author: 'killed', merges }),
      label: String(number),
      device: 'killed',
    }),
  )
  if (random() < 0.5) await saves.flush().catch(() => {})
}
for (;;) {
  // What could not be sent or resolved is tried again: an answer was lost, or the other device was faster.
  await saves.flush().catch(() => {})
  for (const conflict of await saves.conflicts()) await resolve(conflict).catch(() => {})
  if ((await saves.waiting()).length === 0) break
}
saves.close()
tell({ what: 'ended', steps })
