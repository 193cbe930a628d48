import { expect } from 'vitest'
import type { Answer } from './answer.ts'

interface ProblemMatchers<R> {
  /** Expects a problem document with this status and code, and optionally an entry in `errors` or a limit of this name. */
  toBeProblem(status: number, code: string, about?: string): R
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends ProblemMatchers<R> {}
}

expect.extend({
  toBeProblem(received: Answer, status: number, code: string, about?: string) {
    const { body } = received
    const isCode =
      received.status === status && isRecord(body) && body.code === code && body.status === status
    const type = received.headers.get('Content-Type')
    const isTold = code !== 'QUOTA_EXCEEDED' || (isRecord(body) && isBeyondQuota(body))
    const isAbout = about === undefined || JSON.stringify(body).includes(about)
    return {
      pass: isCode && isTold && isAbout && type === 'application/problem+json',
      message: () =>
        `expected ${status} ${code} ${about ?? ''}, got ${received.status} ${type} ${JSON.stringify(body)}`,
    }
  },
})

/** Whether a problem document has the three members that explain a full quota. */
function isBeyondQuota({ used_bytes, limit_bytes, needed_bytes }: Record<string, unknown>): boolean {
  return typeof used_bytes === 'number' && used_bytes + Number(needed_bytes) > Number(limit_bytes)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
