/** Runs wrangler, for all steps of a deployment. */
import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { project } from '../development.ts'

/** Runs wrangler with its arguments, and its standard input through a pipe. */
const PIPED = 'cat | wrangler "$@"'

/**
 * The option with which active Durable Objects take the new code and variables at once. Without it they may keep the old ones for
 * five minutes.
 */
export const IMMEDIATELY = ['--durable-objects-code-update-mode', 'immediate']

/** The command that goes back to a version of a Worker; without a version to the one before. */
export function rollbackTo(version: string | undefined, name: string): string {
  return [
    'npx wrangler rollback',
    ...(version === undefined ? [] : [version]),
    '--name',
    name,
    ...IMMEDIATELY,
  ].join(' ')
}

/** The output of a call of wrangler, and its exit code. */
interface Outcome {
  code: number
  out: string
  /** Both output streams, interleaved as they arrived. */
  all: string
}

interface CallOptions {
  /** What wrangler reads as /dev/stdin. Secrets go this way: other processes see arguments, and a file may stay. */
  input?: string | undefined
  environment?: Record<string, string>
}

/** wrangler failed. The message is its printed reason. */
export class WranglerFailed extends Error {}

/** Runs the wrangler on the PATH, which under `npm run` is the project's own. */
export class Wrangler {
  /** The account for every call, once it is known. Some commands of wrangler read it from the environment only. */
  account_id: string | undefined

  /**
   * Runs wrangler, and returns what it printed on its standard output.
   *
   * @throws WranglerFailed when wrangler fails
   */
  async run(args: string[], options: CallOptions = {}): Promise<string> {
    const { code, out, all } = await this.#call(args, options)
    if (code !== 0) throw new WranglerFailed(reasonIn(all) || `wrangler ended with code ${code}`)
    return out
  }

  /**
   * Runs wrangler with an option that makes it print JSON, like `--json`, and returns the parsed output.
   *
   * @throws WranglerFailed when wrangler fails or prints something else
   */
  async json(args: string[]): Promise<unknown> {
    const out = await this.run(args)
    try {
      return JSON.parse(out)
    } catch {
      throw new WranglerFailed(`wrangler ${args.slice(0, 3).join(' ')} printed no JSON: ${out.slice(0, 500)}`)
    }
  }

  #call(args: string[], { input, environment }: CallOptions): Promise<Outcome> {
    // A pipe of the shell, because Node's own is a socket on Linux, which can't be opened as /dev/stdin (ENXIO).
    const [command, before] = input === undefined ? ['wrangler', []] : ['sh', ['-c', PIPED, 'wrangler']]
    const child = spawn(command, [...before, ...args], {
      cwd: project,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...(this.account_id !== undefined && { CLOUDFLARE_ACCOUNT_ID: this.account_id }),
        WRANGLER_HIDE_BANNER: 'true',
        WRANGLER_SEND_METRICS: 'false',
        NO_COLOR: '1',
        FORCE_COLOR: '0',
        ...environment,
      },
    })
    let [out, all] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      out += piece
      all += piece
    })
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      all += piece
    })
    child.stdin.on('error', () => {}) // it ended without reading all of its input
    child.stdin.end(input ?? '')
    return new Promise((ended, failed) => {
      child.on('error', failed)
      child.on('close', (code) => ended({ code: code ?? 1, out: stripVTControlCharacters(out), all }))
    })
  }
}

/** wrangler's reason for a failure: its output from the first error on, without the path of its log. */
function reasonIn(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !/Logs were written to|^\s*$/.test(line))
  const first = lines.findIndex((line) => line.includes('[ERROR]'))
  return lines
    .slice(first < 0 ? -15 : first)
    .slice(0, 15)
    .join('\n')
    .replace(/^.*\[ERROR\]\s*/, '')
    .trim()
}

/** Parses wrangler's `label:  value` lines. Blocks are separated by empty lines; each becomes a record. */
export function labelledValues(output: string): Record<string, string>[] {
  return output
    .split(/\n\s*\n/)
    .map((block) =>
      Object.fromEntries(
        [...block.matchAll(/^([a-z_]+): +(.*)$/gm)].map(([, label = '', value = '']) => [
          label,
          value.trim(),
        ]),
      ),
    )
    .filter((record) => Object.keys(record).length > 0)
}
