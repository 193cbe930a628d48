/** Names and literals of C#, which the generator of the C# client (scripts/describe/csharp) uses, too. */

/** `parent_id`, `Save-Device`, `FILE_NOT_FOUND` and `listFiles` in PascalCase. */
export function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/)
  return words.map((word) => cased(/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word)).join('')
}

function cased(word: string): string {
  return word.toLowerCase() === 'etag' ? 'ETag' : word.charAt(0).toUpperCase() + word.slice(1)
}

export function camel(name: string): string {
  const whole = pascal(name)
  return whole.charAt(0).toLowerCase() + whole.slice(1)
}

/** A string literal. The escapes of JSON are C#'s; three more characters end a line in C#. */
export function text(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
