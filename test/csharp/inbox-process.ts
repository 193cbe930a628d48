import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from '@hono/zod-openapi'
import type { InboxSnapshot } from '#client'
import type { Watched } from '../e2e/proofs/inbox/actors.ts'
import type { Game } from '../e2e/proofs/inbox/game.ts'
import type { ShortTokens } from '../e2e/proofs/inbox/short-tokens.ts'
import type { Change, Report } from '../e2e/proofs/inbox/subject.ts'
import { programOf } from './host.ts'
import { openLogin } from './login.ts'
import { startProgram } from './mono.ts'

const Counted = z.record(z.string(), z.int())
const Told = z.object({
  snapshot: z.custom<InboxSnapshot<Game>>((value) => typeof value === 'object'),
  told: z.array(z.string()),
  signals: z.array(z.string()),
  jumps: z.array(z.tuple([z.int(), z.int()])),
  counts: z.array(z.tuple([z.int(), z.int(), z.int()])),
  forgotten: z.int(),
  states: Counted,
  errors: Counted,
})

/** An inbox of the C# client under test, in a process of its own (programs/InboxSubject.cs). */
export class InboxProcess implements Watched {
  readonly #child
  readonly #login
  readonly #waiting = new Map<string, (answer: unknown) => void>()
  readonly #failed = Promise.withResolvers<never>()
  #asked = 0
  #output = ''

  private constructor(
    child: ReturnType<typeof startProgram>,
    login: Awaited<ReturnType<typeof openLogin>>,
    onReady: () => void,
  ) {
    this.#child = child
    this.#login = login
    this.#failed.promise.catch(() => {}) // Whoever waits for an answer gets it.
    child.stderr.on('data', (chunk) => {
      this.#output += chunk
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, id = '', json = ''] = /^answer (\d+) (.*)$/.exec(line) ?? []
      if (line === 'ready') onReady()
      else if (id) this.#waiting.get(id)?.(JSON.parse(json))
      else this.#output += `${line}\n`
    })
    child.on('close', (code) => this.#failed.reject(new Error(`It ended with ${code}: ${this.#output}`)))
  }

  /** Opens an inbox on a platform. Its service is at `baseUrl`. */
  static async open(
    platform: string,
    { baseUrl, tokens, random }: { baseUrl: string; tokens: ShortTokens; random: () => number },
  ): Promise<InboxProcess> {
    const login = await openLogin((path) => tokens.get({ renew: path === '/renew' }))
    const seed = String(Math.floor(random() * 2 ** 31))
    const child = startProgram(await programOf(platform), [
      'inbox, watched',
      platform,
      baseUrl,
      login.url,
      seed,
    ])
    const ready = Promise.withResolvers<void>()
    const opened = new InboxProcess(child, login, ready.resolve)
    await Promise.race([ready.promise, opened.#failed.promise])
    return opened
  }

  async report(): Promise<Report> {
    return Told.parse(await this.#ask('report'))
  }

  async change({ position, kind }: Change): Promise<boolean> {
    return z.boolean().parse(await this.#ask(`change ${position} ${kind}`))
  }

  /** Ends the process. @throws Error with its output when it fails */
  async close(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.stdin.end('close\n')
    const [code] = await closed
    this.#login.close()
    if (code !== 0) throw new Error(this.#output)
  }

  #ask(command: string): Promise<unknown> {
    const id = String(++this.#asked)
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve))
    this.#child.stdin.write(`${id} ${command}\n`)
    return Promise.race([answered, this.#failed.promise]).finally(() => this.#waiting.delete(id))
  }
}
