import { z } from 'zod'

/**
 * A whole number from `min` to `max`, written as text in a query or a variable. A number out of range is invalid. One
 * schema has both rules, because each schema costs start-up time.
 */
export function integer(min: number, max: number) {
  return z.string().transform((text, context) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const message = Number.isNaN(value)
      ? 'must be a whole number'
      : `must be a whole number from ${min} to ${max}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}
