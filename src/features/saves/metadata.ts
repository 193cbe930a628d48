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

/** Whether a text has at most `max` code points. */
export function isShort(text: string | null, max: number): boolean {
  return text === null || (text.length <= 2 * max && [...text].length <= max)
}
