import type { Dice } from './dice.ts'
import type { JsonSchema } from './operations.ts'

/** JSON as it is to be written, where JSON.stringify would not write it so: 1e400, -0, a member twice. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Value = string | number | boolean | null | Raw | Value[] | { [member: string]: Value }

/** A picture in characters that any body may have: a WebP that says its size, one pixel, and no more. */
export const picture = new Raw(`RIFF\u0016\0\0\0WEBPVP8X\n${'\0'.repeat(13)}`)

/** The JSON text of a value. */
export function write(value: Value): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
  return `{${members.join(',')}}`
}

/** A value as a path, a query or a header has it. */
export function plain(value: Value): string {
  return typeof value === 'string' ? value : write(value)
}

export function isMembers(value: Value | undefined): value is { [member: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw)
}

const words = ['Maps', 'forest', 'Déjà vu', '城', 'a b', "it's", '100%', 'e\u0301toile', '🏰 keep', 'x']

/** What a name may be: most with a marker that stands in no other, some taken by another thing. */
export function named(dice: Dice): string {
  return dice.chance(0.15) ? 'Castle' : `${dice.pick(words)} ${dice.marker()}`
}

/** A value that the schema allows. `known` gives one for a member by its name, where the schema says too little. */
export function valid(
  schema: JsonSchema,
  dice: Dice,
  known: (member: string, schema: JsonSchema) => Value | undefined,
  member = '',
): Value {
  const special = known(member, schema)
  if (special !== undefined) return special
  if (schema.oneOf) return valid(dice.pick(schema.oneOf), dice, known, member)
  if (schema.enum) return dice.pick(schema.enum)
  const type = dice.pick([schema.type ?? 'object'].flat())
  if (type === 'null') return null
  if (type === 'boolean') return dice.chance(0.5)
  if (type === 'integer') return dice.pick(wholeNumbers(schema))
  if (type === 'string') return named(dice)
  if (type === 'array') {
    const { items = {} } = schema
    return Array.from({ length: dice.below(3) }, () => valid(items, dice, known, member))
  }
  const members = Object.entries(schema.properties ?? {})
  const chosen = members.filter(([name]) => schema.required?.includes(name) || dice.chance(0.5))
  return Object.fromEntries(chosen.map(([name, of]) => [name, valid(of, dice, known, name)]))
}

function wholeNumbers({ minimum = 0, maximum = minimum + 10 }: JsonSchema): number[] {
  return [minimum, minimum + 1, minimum + 2, maximum].filter((number) => number <= maximum)
}

/** A value that the schema all but allows: at a bound, right beyond it, of another type, in another case. */
export function near(schema: JsonSchema, dice: Dice): Value {
  const { enum: choices, minimum = 0, maximum = 1000, minLength = 1, maxLength = 255, maxItems = 3 } = schema
  const type = [schema.type ?? 'object'].flat()[0]
  const anything: Value[] = [null, '', 0, '0', true, 'null', [], {}, [{}], 'undefined']
  if (choices) {
    const choice = String(dice.pick(choices))
    return dice.pick<Value>([
      choice.toUpperCase(),
      `${choice} `,
      [choice],
      choice.slice(1),
      'none',
      ...anything,
    ])
  }
  if (type === 'integer') {
    const bounds = [minimum - 1, minimum, maximum, maximum + 1]
    if (schema.maximum === undefined) bounds.push(2 ** 20 + 1, 10 * 2 ** 20 + 1, 2 ** 30 + 1, 5 * 2 ** 30 + 1)
    const texts = bounds.flatMap((bound) => [bound, String(bound), bound + 0.5, `${bound}.0`, `+${bound}`])
    const others = [
      new Raw('-0'),
      new Raw('1e0'),
      new Raw('1.0'),
      2 ** 53,
      -(2 ** 53),
      ' 1',
      '01',
      '0x1',
      '١',
    ]
    return dice.pick<Value>([...texts, ...others, ...anything])
  }
  if (type === 'string') {
    const lengths = [minLength - 1, maxLength, maxLength + 1, 2 * maxLength]
    const texts = lengths.flatMap((length) => [
      'a'.repeat(length),
      '🏰'.repeat(length),
      'e\u0301'.repeat(length),
    ])
    return dice.pick<Value>([
      ...texts,
      ' a',
      'a ',
      '\u00a0a',
      '.',
      '..',
      'a/b',
      'A'.repeat(40),
      7,
      ...anything,
    ])
  }
  if (type === 'array') {
    const many = Array.from({ length: maxItems + 1 }, () => 'x')
    return dice.pick<Value>([
      many,
      many.slice(1),
      ['x', 'x'],
      [null],
      [[]],
      [1],
      { 0: 'x' },
      'x',
      ...anything,
    ])
  }
  return dice.pick(anything)
}

const long = 'long '.repeat(20_000)

/** What somebody would send who wants to see something break. */
export const hostileTexts = [
  "'; DROP TABLE files; --",
  "' OR '1'='1",
  '") UNION SELECT sql FROM sqlite_master --',
  '../../../etc/passwd',
  '..%2f..%2fopenapi.json',
  '__proto__',
  'constructor',
  'toString',
  '#{7*7}{{7*7}}',
  '<script>alert(1)</script>',
  'a\u0000b',
  'a\u202Eb',
  '\u2066x\u2069',
  '\ud800',
  'x\udfffy',
  '\ufeffx',
  '\u{10ffff}',
  'a\r\nX-Injected: 1',
  'null',
  'NaN',
  '-1',
  '9'.repeat(400),
  '1e400',
  '%',
  '%00',
  '%zz',
  '_',
  '*',
  '"',
  '"a" OR "b"',
  'NEAR(a b)',
  'a*',
  '\\',
  '00000000-0000-7000-8000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'a'.repeat(3_000),
  '\u0301'.repeat(500),
  'ﷺ'.repeat(255),
  '🏳️‍🌈'.repeat(60),
  'a'.repeat(255),
  'ab'.repeat(127),
  'aaa',
  '🏰'.repeat(255),
  '\u{10ffff}'.repeat(255),
  '\u200b\u2060\ufeff',
  '\u3164',
  '\u00ad\u034f',
  '\u2800',
  'a\u200bb',
  'a\u2028b',
  'a\u0085b',
  'a\u007f',
  '\u202eexe.png',
  'x\u2069',
  '.',
  '..',
  ' ',
  '\u3000',
]

/** A value that no schema has in mind. */
export function hostile(dice: Dice): Value {
  const others: Value[] = [
    new Raw('1e400'),
    new Raw('-1e400'),
    new Raw('-0'),
    new Raw('0.1e-400'),
    new Raw('9'.repeat(400)),
    new Raw('9007199254740993'),
    new Raw(`${'['.repeat(60)}${']'.repeat(60)}`),
    new Raw(`${'{"a":'.repeat(400)}1${'}'.repeat(400)}`),
    new Raw('{"__proto__":{"isAdmin":true}}'),
    new Raw('{"constructor":{"prototype":{"x":1}}}'),
    new Raw('{"toString":1,"valueOf":2,"length":3}'),
    long,
    Number.MIN_VALUE,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    -1,
    1e21,
    [[[[]]]],
    { $ne: null },
    new Raw('{"then":"x"}'),
  ]
  return dice.chance(0.65) ? dice.pick(hostileTexts) : dice.pick(others)
}
