import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = fileURLToPath(new URL('startup-process.ts', import.meta.url))

/** How often a start-up is timed: the least counts, in which nothing else had the machine's caches. */
const TIMES = 5

/** What the start-up of a bundled Worker (`.mjs`) takes, in Node, whose V8 compiles and runs it as the platform's does. */
export interface Startup {
  /** Blocks of code that ran, each as often as it ran: the same on every machine. */
  blocks: number
  /** CPU time in milliseconds, the least of five. */
  cpu_ms: number
}

export async function startupOf(file: string): Promise<Startup> {
  const times: number[] = []
  for (let i = 0; i < TIMES; i++) times.push(await measured(file, 'cpu'))
  return { blocks: await measured(file, 'blocks'), cpu_ms: Math.min(...times) }
}

async function measured(file: string, what: 'blocks' | 'cpu'): Promise<number> {
  const { stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, file, what],
    { env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } }, // compiling is a part of a start-up
  )
  return Number(stdout)
}
