/** What can be misread or breaks a line: control characters, and those that turn the writing direction. */
const misleading = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

/** Whatever leaves ink: neither white space nor control, nor what Unicode says is not shown by itself. */
const visible = /[^\p{Cc}\p{Cs}\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u

/** Whether a name that others see holds control characters, bidirectional ones included (decisions, "Files"). */
export function isMisleading(text: string): boolean {
  return misleading.test(text)
}

/** Whether a reader sees anything of a name. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}
