/** The script of a page that keeps the content of assets in IndexedDB with the client. */
import { createClient } from '#client'
import { indexedDbContent } from '#client/installed'

interface Job {
  baseUrl: string
  token: string
  asset_id: string
  /** The network lets no more than so many bytes through, in each answer. */
  most?: number
}

const content = indexedDbContent()
let received_bytes = 0
const ranges: (string | null)[] = []

/** A network that notes what is asked of storage. */
function network(most: number) {
  return async (request: Request) => {
    const range = request.headers.get('Range')
    const response = await fetch(request)
    if (range === null) return response
    ranges.push(range)
    let passed = 0
    const held = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        controller.enqueue(piece)
        passed += piece.length
        return passed < most ? undefined : new Promise(() => {})
      },
    })
    return new Response(response.body?.pipeThrough(held) ?? null, response)
  }
}

/** Updates, and returns the versions that are new here. */
async function update({ baseUrl, token, asset_id, most = Number.POSITIVE_INFINITY }: Job) {
  const client = createClient({ baseUrl, token, retry: { attempts: 1 }, fetch: network(most) })
  const { updates } = await client.assets.update(content, {
    assets: [{ asset_id }],
    onProgress: (progress) => {
      received_bytes = progress.received_bytes
    },
  })
  return updates.map(({ version }) => version)
}

/** Begins an update that does not end. */
function begin(job: Job): void {
  void update(job)
}

/** What is installed, with the SHA-256 of its bytes. */
async function installed() {
  const list = await createClient({ baseUrl: 'http://localhost:1', token: 'a.b.c' }).assets.installed(content)
  return Promise.all(
    list.map(async ({ version, content }) => {
      const hash = await crypto.subtle.digest('SHA-256', await (await content()).arrayBuffer())
      return { version, sha256: btoa(String.fromCharCode(...new Uint8Array(hash))) }
    }),
  )
}

/** How much has arrived here, and what was asked for. */
const progress = () => ({ received_bytes, ranges })

/** How many contents are in the database, begun or whole. */
function contents(): Promise<number> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('edge-game-storage-content')
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const counting = opening.result.transaction('contents').objectStore('contents').count()
      counting.onsuccess = () => {
        opening.result.close()
        resolve(counting.result)
      }
    }
  })
}

/** As when the user clears the data of the site. */
function clear(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase('edge-game-storage-content')
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

const acts = { update, begin, installed, progress, contents, clear }
export type InstallerActs = typeof acts
Object.assign(globalThis, { acts })
