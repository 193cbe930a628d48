import type { Hook } from '@hono/zod-openapi'
import { z } from '@hono/zod-openapi'
import type { AppEnv } from '../context.ts'
import { ApiError, type ErrorCode, type InvalidMember, isErrorCode } from '../errors.ts'

const places = { json: 'body', query: 'query', param: 'path', header: 'header' } as const

/**
 * Turns what a schema refused into one error. A member with a code of its own (`refuse`) speaks first, in the
 * order of the schema; everything else is VALIDATION_FAILED with one entry for each member.
 */
export const validationHook: Hook<unknown, AppEnv, string, void> = (result) => {
  if (result.success) return
  const place = Object.entries(places).find(([target]) => target === result.target)?.[1] ?? 'body'
  throw invalid(result.error.issues, place)
}

/** The error that says what a schema found wrong in a part of a request. */
export function invalid(issues: z.core.$ZodIssue[], place: InvalidMember['in']): ApiError {
  const errors = issues.map((issue) => memberOf(issue, place))
  const coded = issues.find((issue) => codeOf(issue) !== undefined)
  return new ApiError((coded && codeOf(coded)) ?? 'VALIDATION_FAILED', {
    detail:
      coded?.message ?? errors.map(({ path, message }) => `${path.slice(1) || place}: ${message}`).join(' '),
    errors,
  })
}

/** Refuses a value, or a member of it, with a code of the error table. */
export function reject(context: z.RefinementCtx, code: ErrorCode, message: string, member?: string): never {
  context.addIssue({ code: 'custom', params: { code }, message, path: member === undefined ? [] : [member] })
  return z.NEVER
}

function codeOf(issue: z.core.$ZodIssue): ErrorCode | undefined {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined
  return typeof code === 'string' && isErrorCode(code) ? code : undefined
}

function memberOf(issue: z.core.$ZodIssue, place: InvalidMember['in']): InvalidMember {
  const path = issue.path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return { in: place, path, message: issue.message.endsWith('.') ? issue.message : `${issue.message}.` }
}
