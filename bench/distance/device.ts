import { type HotPath, sentBody } from '../paths.ts'
import { headersOf } from '../record.ts'
import { type City, cities } from './cities.ts'

/** How the service answered a device. */
export interface Answered {
  status: number
  /** How long the trips to the database took, in milliseconds of the model. */
  ms: number
  /** The record of an item in the answer, if it has one. */
  record: { name?: unknown }
}

/** What every device has in common. */
export interface World {
  address: string
  token: string
  seed: number
}

/** A path as a device sends it: of a path with several bodies it takes them in turn. */
export type Sent = Pick<HotPath, 'title' | 'method' | 'path' | 'bodies' | 'isNamedAnew' | 'content'>

/** The first request of a device. */
export const opening: Sent = {
  title: 'list files, root level',
  method: 'GET',
  path: '/v1/files',
  bodies: [],
  isNamedAnew: false,
}

/** A device of the user in a city, with or without replicas. It keeps the greatest bookmark, as both clients do. */
export class Device {
  readonly #world: World
  readonly #city: City
  readonly #isAlone: boolean
  #bookmark = ''
  #sent = 0

  constructor(world: World, city: City, isAlone: boolean) {
    this.#world = world
    this.#city = city
    this.#isAlone = isAlone
  }

  /** Sends a request after a pause, in milliseconds of the model. */
  async send(path: Sent, pause_ms: number): Promise<Answered> {
    const { address, token, seed } = this.#world
    const response = await fetch(address + path.path, {
      method: path.method,
      headers: {
        ...headersOf({ ...path, shape: 'item', by: 'service' }, token),
        'X-City': String(cities.indexOf(this.#city)),
        'X-Alone': this.#isAlone ? '1' : '0',
        'X-Seed': String(seed),
        'X-Pause': String(pause_ms),
        ...(this.#bookmark && { 'X-D1-Bookmark': this.#bookmark }),
      },
      body: sentBody(path, this.#sent++ % Math.max(path.bodies.length, 1)) ?? null,
    })
    const text = await response.text()
    const bookmark = response.headers.get('X-D1-Bookmark') ?? ''
    if (bookmark > this.#bookmark) this.#bookmark = bookmark
    const ms = Number(response.headers.get('X-Model-Ms'))
    return { status: response.status, ms, record: recordIn(text) }
  }
}

/** The item in the body of an answer: `GET` has it beside its ancestors. */
function recordIn(text: string): { name?: unknown } {
  const body: { file?: { name?: unknown }; name?: unknown } = JSON.parse(text)
  return body.file ?? body
}
