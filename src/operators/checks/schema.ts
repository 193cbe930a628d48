import { z } from '@hono/zod-openapi'
import { reject } from '../../platform/http/validation.ts'
import { isVisible } from '../../platform/lib/text.ts'

const MAX_REASON_LENGTH = 500

/** The verdict on the content of an upload. */
export const Verdict = z
  .object({
    verdict: z.enum(['ready', 'failed']),
    reason: z
      .string()
      .refine(isReason, `must have 1 to ${MAX_REASON_LENGTH} characters, one of them visible`)
      .optional()
      .openapi({ maxLength: MAX_REASON_LENGTH, description: 'For the owner. Required with failed' }),
  })
  .transform(({ verdict, reason }, context) => {
    if (verdict === 'ready') return { verdict }
    if (reason !== undefined) return { verdict, reason }
    reject(context, 'VALIDATION_FAILED', 'is required when the verdict is failed', 'reason')
    return z.NEVER
  })
  .openapi('Verdict', { example: { verdict: 'failed', reason: 'The file has a virus.' } })
export type Verdict = z.output<typeof Verdict>

function isReason(text: string): boolean {
  const isStored = text.isWellFormed() && !text.includes('\u0000')
  return isStored && isVisible(text) && [...text].length <= MAX_REASON_LENGTH
}
