/** Which lines of wrangler are shown. Lines that are not known here are always shown. */
import { stripVTControlCharacters } from 'node:util'

/** A line that is held back, with the lines that follow it. */
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
  { first: /^\[custom build\] Running: node .*scripts\/pages\/build\.ts$/, following: [] },
  { first: /^⎔ Starting local server\.\.\.$/, following: [] },
  { first: /^⎔ Connection status updated$/, following: [] },
  { first: /^\[wrangler:info\] ✨ Parsed \d+ valid header rules?\.$/, following: [] },
  { first: /^\[wrangler:info\] - https?:\/\/[\w.:[\]]+$/, following: [] }, // follows "Ready on"
  // The line that each request writes (docs/observing.md). wrangler names the request, too. Failures come through.
  { first: /^\{"message":"request",.*"status":[1-4]\d\d,/, following: [] },
  // What an open page asks by itself.
  {
    first: /^\[wrangler:info\] (GET|HEAD) \/(health|favicon\.ico|static\/\S+) (200|304)\b.*$/,
    following: [],
  },
]

const INFO = '[wrangler:info] '

/** Holds back what wrangler prints for its own reasons. Create one for each stream. */
export class OutputFilter {
  /** The noise whose following lines are expected, and its first line as it came. */
  #held: { line: string; following: RegExp[] } | undefined
  #rest = ''

  /** The lines to show of a piece of output. The end of a line may come later. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split(/\r?\n/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#shown(line))
  }

  /** What has come without the end of its line. */
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
    const shown = text.startsWith(INFO) ? text.slice(INFO.length) : line
    // An indented line belongs to what was held back, and says something else.
    return held && held.following.length > 0 && /^\s/.test(text) ? [held.line, '', shown] : [shown]
  }
}

/** Whether wrangler says in this line, which the filter shows, that it serves. */
export function isReady(line: string): boolean {
  return /^Ready on https?:\/\/\S+$/.test(line)
}
