/** The script of a page that keeps saves in IndexedDB with the client. */
import { createClient, indexedDbStore, type OfflineSaves } from '#client'

let saves: OfflineSaves | undefined
const saved: string[] = []

function opened(): OfflineSaves {
  if (!saves) throw new Error('The saves are not open.')
  return saves
}

/** Opens the saves, like a game that starts. Returns what waits from before. */
async function open({ baseUrl, token }: { baseUrl: string; token: string }): Promise<string[]> {
  saves = createClient({ baseUrl, token }).saves.offline(indexedDbStore())
  saves.on('saved', ({ slot }) => saved.push(slot))
  return saves.waiting()
}

const write = ({ slot, text }: { slot: string; text: string }) =>
  opened().write({ slot, bytes: new TextEncoder().encode(text), label: text })

async function read(slot: string) {
  const { bytes, label, is_waiting } = await opened().read({ slot })
  return { text: new TextDecoder().decode(bytes), label, is_waiting }
}

/** The slots that this page has sent. */
const sent = () => saved

const acts = { open, write, read, sent }
export type PlayerActs = typeof acts
Object.assign(globalThis, { acts })
