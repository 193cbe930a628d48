import { RevisionList, Save, SaveList } from '../../src/features/saves/schema.ts'
import { type Answer, made } from './answer.ts'
import { type Fetch, origin, service } from './service.ts'
import { signUp, type User } from './user.ts'

/** The headers of a write. */
export type WriteHeaders = Record<string, string>

/** A player's saves. Each method is one action of a client. */
export class Player {
  readonly user: User
  readonly #service: Fetch

  constructor(user: User, reach = service) {
    this.user = user
    this.#service = reach
  }

  /** The same player with another way to send requests. */
  through(reach: Fetch): Player {
    return new Player(this.user.through(reach), reach)
  }

  get id(): string {
    return this.user.id
  }

  /** Writes a slot. */
  write(slot: string, content: string | Uint8Array, headers: WriteHeaders = {}, query = ''): Promise<Answer> {
    const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
    return this.user.request('PUT', `/saves/${slot}${query}`, { body, headers })
  }

  /** Writes a slot. Fails unless it succeeds. */
  async save(slot: string, content: string | Uint8Array, headers: WriteHeaders = {}): Promise<Save> {
    const answer = await this.write(slot, content, headers)
    return made(Save, answer, answer.status === 201 ? 201 : 200)
  }

  /** The response with a save's bytes. */
  fetch(slot: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    const authorized = { Authorization: `Bearer ${this.user.token}`, ...headers }
    return this.#service(new Request(`${origin}/v1/saves/${slot}`, { method, headers: authorized }))
  }

  /** The bytes of a save as text. Fails unless it succeeds. */
  async content(slot: string): Promise<string> {
    const response = await this.fetch(slot)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return new TextDecoder().decode(await response.arrayBuffer())
  }

  async list(query = '') {
    return made(SaveList, await this.user.get(`/saves${query}`), 200)
  }

  async revisions(slot: string) {
    return made(RevisionList, await this.user.get(`/saves/${slot}/revisions`), 200).revisions
  }

  restore(slot: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.user.request('POST', `/saves/${slot}/restore`, { json, headers })
  }

  delete(slot: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.user.request('DELETE', `/saves/${slot}`, { headers })
  }
}

/** A new player. */
export async function newPlayer(reach = service): Promise<Player> {
  return new Player(await signUp('player', reach), reach)
}
