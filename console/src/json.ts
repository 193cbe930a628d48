/** The fields of a value of unknown shape, like parsed JSON; {} when it is no object. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A field of a value of unknown shape; undefined when it is missing. */
export function member(value: unknown, name: string): unknown {
  return record(value)[name]
}

/** The strings in an array of unknown items; [] when the value is no array. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** A field with a number; 0 when it has none. */
export function numberIn(value: unknown, name: string): number {
  const found = member(value, name)
  return typeof found === 'number' ? found : 0
}

/** A field with a text; '' when it has none. */
export function textIn(value: unknown, name: string): string {
  const found = member(value, name)
  return typeof found === 'string' ? found : ''
}

/** A field with an array; [] when it has none. */
export function itemsIn(value: unknown, name: string): readonly unknown[] {
  const found = member(value, name)
  return Array.isArray(found) ? found : []
}

/** The value of a JSON text that the browser has stored; undefined for none, and for a text that is no JSON. */
export function storedValue(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON with a line for each member. Keeps each number as it is written. Undefined for a text that is no JSON. */
export function formatJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return text.replaceAll(/"(?:[^"\\]+|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token === ',') return `,${line()}`
    if (token === ':') return ': '
    if (token === '{' || token === '[') {
      depth++
      return token + line()
    }
    if (token === '}' || token === ']') {
      depth--
      return line() + token
    }
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, '')
  })
}

interface JsonToken {
  text: string
  /** Where it begins. */
  at: number
  kind: 'name' | 'string' | 'value'
}

/** The names of members (with the colon), strings and other values of JSON, or of its beginning: a text may end in a string. */
export function tokensIn(json: string): JsonToken[] {
  // The closing `"` may be missing. To require it takes exponential time where it is.
  const tokens = json.matchAll(/"(?:[^"\\]+|\\.)*(?:"(\s*:)?|\\?$)|[\w.+-]+/gs)
  return [...tokens].map(({ 0: text, 1: colon, index: at }) => ({
    text,
    at,
    kind: colon !== undefined ? 'name' : text.startsWith('"') ? 'string' : 'value',
  }))
}
