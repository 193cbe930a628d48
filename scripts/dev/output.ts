/** Filters wrangler's output. Only lines listed here are hidden. */
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import { inWords, stateWords, taskWords } from '../../src/operators/job/words.ts'

/** A line to hide, with the lines that may follow it. */
interface Noise {
  first: RegExp
  following: RegExp[]
}

const noise: Noise[] = [
  // The address of the local bucket is a setting that wrangler calls experimental (wrangler.toml).
  {
    first: /^▲ \[WARNING\] Processing (wrangler\.toml|out\/dev\/wrangler-\d+\.json) configuration:$/,
    following: [/^- "local_dev\.experimental_s3_credentials" fields are experimental/],
  },
  {
    first: /^Your Worker has access to the following bindings:$/,
    following: [/^Binding +Resource +Mode$/, /^env\.\w+ .*(local|simulated)$/],
  },
  // npm run job does this; docs/operating.md says so.
  {
    first: /^▲ \[WARNING\] Scheduled Workers are not automatically triggered during local development\.$/,
    following: [
      /^To manually trigger a scheduled event, run:$/,
      /^curl "http\S+\/cdn-cgi\/local\/scheduled"$/,
      /^For more details, see https:\/\/developers\.cloudflare\.com\/workers\/.*$/,
    ],
  },
  { first: /^Using secrets defined in \.dev\.vars$/, following: [] },
  { first: /^\[custom build\] Running: node .*scripts\/dev\/prepare\.ts$/, following: [] },
  { first: /^⎔ Starting local server\.\.\.$/, following: [] },
  { first: /^⎔ Connection status updated$/, following: [] },
  { first: /^\[wrangler:info\] ✨ Parsed \d+ valid header rules?\.$/, following: [] },
  { first: /^\[wrangler:info\] - https?:\/\/[\w.:[\]]+$/, following: [] }, // follows "Ready on"
  // The log line of each request (docs/observing.md), which wrangler prints too. Status 5xx stays visible.
  { first: /^\{"message":"request",.*"status":[1-4]\d\d,/, following: [] },
  // Requests that an open page sends by itself.
  {
    first: /^\[wrangler:info\] (GET|HEAD) \/(health|favicon\.ico|static\/\S+) (200|304)\b.*$/,
    following: [],
  },
]

/** The log line of a run of the job (docs/operating.md#the-scheduled-job). */
const JobLog = z.looseObject({
  message: z.literal('the job ran'),
  database: z.string(),
  ms: z.number(),
  has_backlog: z.literal(true).optional(),
  failed: z.array(z.string()).optional(),
  waits_for_move: z.literal(true).optional(),
})

/** The log line of a run of the job as a sentence; undefined for any other line. */
function jobLine(line: string): string | undefined {
  if (!line.startsWith('{"message":"the job ran"')) return undefined
  const log = JobLog.safeParse(parsed(line)).data
  if (!log) return undefined
  const { database, ms, has_backlog, failed = [], waits_for_move } = log
  const counts = Object.entries(log).filter(([name]) => Object.hasOwn(taskWords, name))
  const done = inWords(Object.fromEntries(counts.map(([name, count]) => [name, Number(count)])))
  const state = waits_for_move ? 'moving' : has_backlog ? 'backlog' : failed.length > 0 ? 'failed' : 'done'
  const failures = failed.length > 0 ? ` (${failed.join(', ')})` : ''
  const name = database === 'DB' ? 'The job' : `The job of ${database}`
  return `${name} ran for ${(ms / 1_000).toFixed(1)} s: ${done || (state === 'done' ? 'nothing to do' : 'nothing done')}. ${stateWords[state]}${failures}.`
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const INFO = '[wrangler:info] '

/** Hides wrangler's routine output. Create one filter for each stream. */
export class OutputFilter {
  /** The hidden line whose following lines are expected. */
  #held: { line: string; following: RegExp[] } | undefined
  #rest = ''

  /** The lines to show of a piece of output. Keeps an incomplete last line for the next piece. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split(/\r?\n/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#shown(line))
  }

  /** The incomplete last line, at the end of the stream. */
  end(): string[] {
    const rest = this.#rest
    this.#rest = ''
    return rest === '' ? [] : this.#shown(rest)
  }

  #shown(line: string): string[] {
    const text = stripVTControlCharacters(line)
    const trimmed = text.trim()
    const held = this.#held
    if (held && (trimmed === '' || held.following.some((expression) => expression.test(trimmed)))) return []
    this.#held = undefined
    const known = noise.find(({ first }) => first.test(trimmed))
    if (known) {
      this.#held = { line, following: known.following }
      return []
    }
    const shown = text.startsWith(INFO) ? text.slice(INFO.length) : (jobLine(trimmed) ?? line)
    // An unknown indented line continues the hidden one, so both are shown.
    return held && held.following.length > 0 && /^\s/.test(text) ? [held.line, '', shown] : [shown]
  }
}

/** Whether a line that the filter shows says that wrangler's server is ready. */
export function isReady(line: string): boolean {
  return /^Ready on https?:\/\/\S+$/.test(line)
}
