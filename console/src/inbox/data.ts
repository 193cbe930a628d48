import { formatTime, sentence } from '../controls/format.ts'

/** A member of a notification's data, in words. */
export interface Field {
  name: string
  value: string
}

/** The longest name or value of a field that is shown, in UTF-16 units. */
const LONGEST = 200

/** Members with ids, which say nothing to people. */
const ID = /(^|_)ids?$/

/** Members with a time in Unix seconds, after 2001 and before 2286. */
const TIME = /(_at|^until|_until|^ends|^deadline)$/
const [FIRST_TIME, LAST_TIME] = [1e9, 1e10]

/** The members of data that people can read, except those that are named. Ids, objects, arrays and null are left out. */
export function fieldsOf(data: object, shown: ReadonlySet<string>): Field[] {
  return Object.entries(data).flatMap(([name, value]: [string, unknown]) => {
    const text = shown.has(name) || ID.test(name) ? undefined : valueText(name, value)
    return text === undefined ? [] : [{ name: shortened(inWords(name)), value: shortened(text) }]
  })
}

function valueText(name: string, value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return value === '' ? undefined : value
  if (typeof value !== 'number') return undefined
  const isTime = TIME.test(name) && value > FIRST_TIME && value < LAST_TIME
  return isTime ? formatTime(value) : value.toLocaleString('en')
}

/** A name as words, of which the first begins with a capital letter. */
export function inWords(name: string): string {
  return sentence(name.replaceAll(/[-_]+/g, ' ').trim())
}

/** The first text of data among members of these names; undefined when none of them has one. */
export function textAmong(
  data: object,
  names: readonly string[],
): { name: string; text: string } | undefined {
  const values = new Map<string, unknown>(Object.entries(data))
  for (const name of names) {
    const text = values.get(name)
    if (typeof text === 'string' && text.trim() !== '') return { name, text: text.trim() }
  }
  return undefined
}

export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** The longest JSON that is indented, in UTF-16 units. Deeply nested data is mostly indentation. */
const LONGEST_INDENTED = 32 * 1_024

/** An object as JSON, a field a line. */
export function formatted(data: object): string {
  const text = JSON.stringify(data, null, 2)
  return text.length > LONGEST_INDENTED ? JSON.stringify(data) : text
}
