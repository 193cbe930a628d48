/** Control characters, and characters that change the writing direction. */
const misleading = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

/** Characters with a visible glyph: no white space, no control characters, none that Unicode ignores by default. */
const visible = /[^\p{Cc}\p{Cs}\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u

/** Whether a text contains control characters, bidirectional ones included (docs/conformance.md#files). */
export function isMisleading(text: string): boolean {
  return misleading.test(text)
}

/** Whether a text of several lines does: tabs and the ends of lines are not misleading there. */
export function isMisleadingText(text: string): boolean {
  return isMisleading(text.replaceAll(/[\t\n\r]/g, ''))
}

/** Whether a text contains a visible character. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}
