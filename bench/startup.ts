import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = fileURLToPath(new URL('startup-process.ts', import.meta.url))

/** How often a start-up is timed. The least time counts, as the least disturbed. */
const TIMES = 5

/** The cost of a bundled Worker's start-up (`.mjs`), measured in Node, which has the platform's engine V8. */
export interface Startup {
  /** Executed blocks of code, counted as often as they run: the same on every machine. */
  blocks: number
  /** CPU time in milliseconds, the least of five. */
  cpu_ms: number
}

export async function startupOf(file: string): Promise<Startup> {
  const times: number[] = []
  for (let i = 0; i < TIMES; i++) times.push(await measured(file, 'cpu'))
  return { blocks: await blocksOf(file), cpu_ms: Math.min(...times) }
}

/** The blocks of code that a bundled Worker's start-up executes. */
export function blocksOf(file: string): Promise<number> {
  return measured(file, 'blocks')
}

async function measured(file: string, what: 'blocks' | 'cpu'): Promise<number> {
  const { stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, file, what],
    { env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } }, // compiling is a part of a start-up
  )
  return Number(stdout)
}
