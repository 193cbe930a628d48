import { isMisleading, isVisible } from '../../platform/lib/visible-text.ts'

/** The most code points of `Save-Device` and of `Save-Label`. */
export const MAX_DEVICE_CODE_POINTS = 64
export const MAX_LABEL_CODE_POINTS = 255

/** The text of a header in percent-encoded UTF-8; null when the header is empty, undefined when it is malformed. */
export function asText(header: string): string | null | undefined {
  if (header === '') return null
  if (!/^[\x20-\x7e]*$/.test(header)) return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}

/** What is wrong with a text, by the rule of display names (docs/conformance.md#game-assets); undefined: nothing. */
export function mistakeIn(text: string | null, max: number): string | undefined {
  if (text === null) return undefined
  if (text.length > 2 * max || [...text].length > max) return `must have at most ${max} code points`
  if (isVisible(text) && !isMisleading(text)) return undefined
  return 'must have a visible character, and no control or bidirectional control characters'
}
