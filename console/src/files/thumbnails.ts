import type { Client } from 'edge-game-storage-client'
import { MAX_URLS } from './actions.ts'
import { type Item, isReady, kindOf, previewKind } from './item.ts'

/** The largest picture that is read for a thumbnail. */
const LARGEST_BYTES = 4 * 2 ** 20
/** A picture up to this size is shown as it is. */
const SMALL_BYTES = 64 * 1_024
const WIDTH = 320
/** How many thumbnails are kept. Each has about 10 KiB. */
const KEPT = 400
const AT_ONCE = 4
/** How long a picture has to be shown before it is read: fast scrolling reads none. */
const PAUSE_MS = 150

type Show = (url: string | undefined) => void

interface Wanted {
  id: string
  key: string
  shows: Set<Show>
  isAsked: boolean
  ended: AbortController
}

const ofClients = new WeakMap<Client, Thumbnails>()

/** The thumbnails of a session. */
export function thumbnailsOf(client: Client): Thumbnails {
  const known = ofClients.get(client) ?? new Thumbnails(client)
  ofClients.set(client, known)
  return known
}

/** Whether an item is a picture that is small enough for a thumbnail. */
export function hasThumbnail(item: Item): boolean {
  return (
    kindOf(item) === 'picture' &&
    previewKind(item) !== undefined &&
    isReady(item) &&
    item.size_bytes <= LARGEST_BYTES
  )
}

/**
 * Makes thumbnails of pictures in the browser, because the service has none. The URLs of those that are shown come in one request.
 * A picture that is scrolled away before it has arrived is given up.
 */
export class Thumbnails {
  readonly #client: Client
  /** The URL of each thumbnail, the least recently used first. Undefined: the picture can't be shown. */
  readonly #kept = new Map<string, string | undefined>()
  readonly #wanted = new Map<string, Wanted>()
  readonly #waiting: { url: string; wanted: Wanted }[] = []
  #running = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** Calls `show` with the URL of the thumbnail of an item as soon as there is one. Returns a function that gives it up. */
  want({ id, updated_at }: Pick<Item, 'id' | 'updated_at'>, show: Show): () => void {
    const key = `${id} ${updated_at}`
    if (this.#kept.has(key)) {
      show(this.#keep(key, this.#kept.get(key)))
      return () => {}
    }
    const wanted = this.#wanted.get(key) ?? {
      id,
      key,
      shows: new Set(),
      isAsked: false,
      ended: new AbortController(),
    }
    wanted.shows.add(show)
    this.#wanted.set(key, wanted)
    this.#askLater()
    return () => {
      wanted.shows.delete(show)
      if (wanted.shows.size > 0) return
      wanted.ended.abort()
      if (this.#wanted.get(key) === wanted) this.#wanted.delete(key)
    }
  }

  #askLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), PAUSE_MS)
  }

  async #ask(): Promise<void> {
    const unasked = [...this.#wanted.values()].filter(({ isAsked }) => !isAsked)
    const asked = unasked.slice(0, MAX_URLS)
    if (asked.length === 0) return
    for (const wanted of asked) wanted.isAsked = true
    if (unasked.length > asked.length) this.#askLater()
    try {
      const { urls } = await this.#client.files.getUrls({ ids: asked.map(({ id }) => id) })
      for (const [at, wanted] of asked.entries()) {
        const one = urls[at]
        if (one && 'url' in one) this.#waiting.push({ url: one.url, wanted })
        else this.#found(wanted, undefined)
      }
      this.#start()
    } catch {
      // The list says when the service can't be reached. The next picture that is shown asks again.
      for (const wanted of asked) wanted.isAsked = false
    }
  }

  #start(): void {
    while (this.#running < AT_ONCE) {
      const next = this.#waiting.shift()
      if (!next) return
      if (next.wanted.ended.signal.aborted) continue
      this.#running += 1
      void this.#make(next.url, next.wanted).finally(() => {
        this.#running -= 1
        this.#start()
      })
    }
  }

  async #make(url: string, wanted: Wanted): Promise<void> {
    const { signal } = wanted.ended
    const thumbnail = await made(url, signal).catch(() => undefined)
    if (!signal.aborted) this.#found(wanted, thumbnail && URL.createObjectURL(thumbnail))
  }

  #found(wanted: Wanted, url: string | undefined): void {
    this.#wanted.delete(wanted.key)
    this.#keep(wanted.key, url)
    for (const show of wanted.shows) show(url)
  }

  #keep(key: string, url: string | undefined): string | undefined {
    this.#kept.delete(key)
    this.#kept.set(key, url)
    const [oldest] = this.#kept
    if (this.#kept.size > KEPT && oldest) {
      this.#kept.delete(oldest[0])
      if (oldest[1] !== undefined) URL.revokeObjectURL(oldest[1])
    }
    return url
  }
}

async function made(url: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`Storage answered ${response.status}.`)
  const picture = await response.blob()
  if (picture.size <= SMALL_BYTES) return picture
  // Decodes and resizes beside the page's own thread.
  const bitmap = await createImageBitmap(picture, { resizeWidth: WIDTH, resizeQuality: 'medium' })
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap)
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })
}
