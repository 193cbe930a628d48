import { env, runInDurableObject } from 'cloudflare:test'
import { newPlayer } from '../../test/support/saves.ts'

/** How many revisions are measured, and their bytes. */
const REVISIONS = 75
const SIZE = 32 * 1_024

/**
 * The bytes that the object with a player's saves takes: one with a single small save, and what each revision adds to its
 * own bytes, rounded up to 100.
 */
export async function bytesOfSaves(): Promise<Record<string, number>> {
  const player = await newPlayer()
  const size = () =>
    runInDurableObject(env.SAVES.getByName(player.id), (_, { storage }) => storage.sql.databaseSize)
  await player.save('0', 'small') // the table is made with the first
  const saves = await size()
  for (let i = 1; i <= REVISIONS; i++)
    await player.save(String(1 + Math.floor((i - 1) / 5)), crypto.getRandomValues(new Uint8Array(SIZE)))
  return { saves, revision: Math.ceil(((await size()) - saves) / REVISIONS / 100) * 100 - SIZE }
}
