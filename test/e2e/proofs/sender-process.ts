import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from '@hono/zod-openapi'

const script = fileURLToPath(new URL('./sender.ts', import.meta.url))

const Told = z.object({
  started: z.string().optional(),
  done: z.object({ id: z.string() }).optional(),
})

/** A process that uploads a file (`sender.ts`), and can be killed. */
export class SenderProcess {
  /** Resolves when the process has ended, killed or not. */
  readonly ended: Promise<unknown>
  readonly #child: ChildProcess
  #output = ''

  constructor(...args: string[]) {
    this.#child = spawn('node', [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.#output += chunk
      })
    this.ended = once(this.#child, 'close')
  }

  /** Kills it at once, wherever it is. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  /** The upload that it has started. */
  get upload_id(): string | undefined {
    return this.#told().find(({ started }) => started)?.started
  }

  /** The file that it has completed; undefined when it was killed before. @throws Error when it failed by itself */
  get file_id(): string | undefined {
    if (this.#child.exitCode)
      throw new Error(`The process ended with ${this.#child.exitCode}: ${this.#output}`)
    return this.#told().find(({ done }) => done)?.done?.id
  }

  #told() {
    const lines = this.#output.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
    return lines.map((line) => Told.parse(JSON.parse(line)))
  }
}
