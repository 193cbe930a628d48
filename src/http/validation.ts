import { z } from '@hono/zod-openapi'
import { ApiError, type ErrorCode, type InvalidMember, isErrorCode } from '../errors.ts'

/**
 * The error for the issues that a schema found in a part of a request. The first issue with a code of its own (`reject`)
 * decides, in the order of the schema; otherwise it is VALIDATION_FAILED. `errors` has one entry for each issue.
 */
export function invalid(issues: z.core.$ZodIssue[], place: InvalidMember['in']): ApiError {
  const errors = issues.map((issue) => memberOf(issue, place))
  const coded = issues.find((issue) => codeOf(issue) !== undefined)
  return new ApiError((coded && codeOf(coded)) ?? 'VALIDATION_FAILED', {
    detail:
      coded?.message ?? errors.map(({ path, message }) => `${path.slice(1) || place}: ${message}`).join(' '),
    errors,
  })
}

/** Rejects a value, or a member of it, with a code of the error table. For a schema's `transform`. */
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
