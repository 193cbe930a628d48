import { afterAll, expect, inject, it, vi } from 'vitest'
import { Creator } from '../support/creator.ts'
import { newIdentity } from '../support/identities.ts'
import { replicated } from '../support/replicas.ts'
import { seeded } from '../support/seeded.ts'

afterAll(() => vi.useRealTimers())

const { seed, amount } = inject('proof')
const SEQUENCES = amount || 25
const STEPS = 8
/** The default of REPLICA_LAG, in milliseconds: a write arrives within it. */
const REPLICA_LAG_MS = 10_000

const random = seeded(seed)
const between = (least: number, most: number) => least * (most / least) ** random()
const { clock, deviceIn } = await replicated(() => between(20, REPLICA_LAG_MS - 100))
const oneOf = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to draw from.')
  return item
}

/** One of a player's devices, and the newest name that it has seen, by its number. */
interface Way {
  name: string
  ada: Creator
  forgets: () => void
  seen: number
}

/** The number of the newest name that some names have. Each rename has a higher one. */
const newestOf = (names: string[]) => Math.max(...names.map((name) => Number(name)))

/** A new player with two devices far from the primary that keep their bookmark, and one that has none. */
async function devices(): Promise<Way[]> {
  const { id, token } = await newIdentity('ada')
  return ['phone', 'console', 'without a bookmark'].map((name) => {
    const device = deviceIn('Sydney')
    const forgets = () => name.startsWith('without') && device.forgetBookmark()
    return { name, ada: new Creator(id, token, device.fetch), forgets, seen: 0 }
  })
}

it('no device reads before its own writes or its earlier reads, and none lacks a write for longer than REPLICA_LAG', async () => {
  const counts = { writes: 0, reads: 0, behind: 0 }
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const ways = await devices()
    const { id } = await oneOf(ways).ada.folder('0')
    /** When each name was given. */
    const given_ms = [clock.now_ms]
    // Only the device that has made the folder may know it before it has arrived.
    await clock.wait(REPLICA_LAG_MS)
    for (let step = 0; step < STEPS; step++) {
      await clock.wait(random() < 0.3 ? 0 : between(10, 30_000))
      const way = oneOf(ways)
      way.forgets()
      if (random() < 0.4) {
        const name = given_ms.length
        expect((await way.ada.change(id, { name: String(name) })).status).toBe(200)
        given_ms.push(clock.now_ms)
        way.seen = name
        counts.writes++
        continue
      }
      const began_ms = clock.now_ms
      const names = random() < 0.5 ? [(await way.ada.read(id)).file.name] : await way.ada.names()
      const read = newestOf(names)
      const arrived = given_ms.findLastIndex((ms) => ms <= began_ms - REPLICA_LAG_MS)
      const least = way.name.startsWith('without') ? given_ms.length - 1 : Math.max(way.seen, arrived)
      expect(read, `sequence ${sequence}, step ${step}, ${way.name}`).toBeGreaterThanOrEqual(least)
      way.seen = read
      counts.reads++
      if (read < given_ms.length - 1) counts.behind++
    }
  }
  console.log(`own writes: ${SEQUENCES} sequences, seed ${seed}, ${JSON.stringify(counts)}`)
  expect(counts.behind, 'a replica that is never behind shows nothing').toBeGreaterThan(0)
})
