/** The source of client/src/operations.ts: the operations of each noun. */

import type { Operation, Schema } from '../description.ts'
import { mayBeRepeated } from '../repeatable.ts'
import { description } from './description.ts'
import { byHand, nouns } from './names.ts'
import { commentOf, hasType, memberOf, typeOf } from './types.ts'

interface Method {
  /** The method's line in the interface of its noun. */
  declared: string
  /** The method itself. */
  written: string
  /** The names of the records in its type. */
  records: string[]
}

/** The answer of an operation whose type is named: what the client's method answers. */
function answerOf({ answers }: Operation) {
  const success = answers.find(({ status }) => Number(status) < 300)
  return {
    schema: success?.schema,
    has: (header: string) => success !== undefined && header in success.headers,
  }
}

/** Members of a body that the method itself says. */
const implied: Record<string, Record<string, string>> = { createFolder: { asset_type: 'folder' } }

function methodOf(operationId: string, name: string): Method {
  const operation = description.operations.find(({ id }) => id === operationId)
  if (!operation) throw new Error(`There is no operation ${operationId}`)
  const { path, method, parameters, body: described, summary, scopes } = operation
  const named = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const header = (name: string) => named('header').some((given) => given.name.toLowerCase() === name)
  const inPath = named('path')
  const query = named('query')
  const body = described?.isJson && hasMembers(described.schema) ? described.schema : undefined
  if (body && query.length > 0) throw new Error(`${operationId} has a body and a query`)

  const isCreation = header('idempotency-key')
  const optionsType =
    [
      isCreation && 'CreationOptions',
      header('if-match') && 'ChangeOptions',
      // A client on behalf of a player has one reason for all its requests.
      scopes.length > 0 && header('audit-reason') && 'AuditedOptions',
    ]
      .filter(Boolean)
      .join(' & ') || 'RequestOptions'
  const said = implied[operationId]
  const bodyType = body && (said ? `Omit<${typeOf(body)}, ${quoted(Object.keys(said))}>` : typeOf(body))
  const members = [...inPath, ...query].map((parameter) =>
    memberOf(parameter.name, parameter.schema, parameter.required === true, parameter.description).replace(
      /: (?=\w+\[\]$)/,
      ': readonly ',
    ),
  )
  const givenType = [bodyType, members.length > 0 && `{ ${members.join('\n')} }`].filter(Boolean).join(' & ')
  const isRequired =
    inPath.length > 0 ||
    query.some(({ required }) => required) ||
    (body !== undefined && described?.isRequired)
  const given = givenType === '' ? [] : [`given${isRequired ? '' : '?'}: ${givenType}`]

  const { schema, has } = answerOf(operation)
  const items = query.some(({ name }) => name === 'cursor') && schema && itemsOf(schema)
  const plainType = schema ? typeOf(schema) : 'void'
  const type =
    has('ETag') && schema
      ? `WithEtag<${plainType}>`
      : has('X-Inbox-Seq')
        ? `WithSeq<${plainType}>`
        : plainType
  const declared = `${commentOf([summary, operation.description].filter(Boolean).join('. '))}${name}(${[...given, `options?: ${optionsType}`].join(', ')}): ${items ? `List<${plainType}, ${items.type}>` : `Promise<${type}>`}`

  // Members that the API does not have stay here: an application may give a whole record.
  const hasOthers = query.length > 0 || body !== undefined
  const names = inPath.map(({ name }) => name).join(', ')
  const inGiven = givenType === '' ? '' : hasOthers ? 'given' : `{ ${names} }`
  const saidMembers = Object.entries(said ?? {}).map(([name, value]) => `, ${name}: '${value}'`)
  const sent = givenType === '' ? '{}' : said ? `{ ...given${saidMembers.join('')} }` : inGiven
  const sending = isCreation
    ? `transport.creating('${path}', ${sent}, options)`
    : mayBeRepeated(
          operationId,
          method,
          inPath.map(({ name }) => name),
        )
      ? `transport.repeatable('${method}', '${path}', ${sent}, options)`
      : `transport.unrepeatable('${method}', '${path}', ${sent}, options)`
  const read = !schema
    ? `done(${sending})`
    : has('ETag')
      ? `bodyWithEtag(${sending})`
      : has('X-Inbox-Seq')
        ? `bodyWithSeq(${sending})`
        : `bodyOf(${sending})`
  const inNames = [inGiven, 'options'].filter(Boolean).join(', ')
  const written = items
    ? `${name}: (given, options) => listByCursor(transport, '${path}', '${items.name}', given, options)`
    : `${name}: (${inNames}) => ${read}`
  const records = [...declared.replaceAll(/\/\*\*.*?\*\//gs, '').matchAll(/\b[A-Z]\w+/g)].map(
    ([name]) => name,
  )
  return { declared, written, records: records.filter((name) => hasType(name)) }
}

/** The order of biome. */
const byName = (one: string, other: string) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)

const quoted = (names: string[]) => names.map((name) => `'${name}'`).join(' | ')

function hasMembers(schema: Schema): boolean {
  const { properties = {}, oneOf = [], allOf = [] } = description.followed(schema)
  return Object.keys(properties).length + oneOf.length + allOf.length > 0
}

/** The member of a page with its items, and the type of these. */
function itemsOf(schema: Schema): { name: string; type: string } | undefined {
  const { properties = {} } = description.followed(schema)
  const [name, list] = Object.entries(properties).find(([, member]) => member.type === 'array') ?? []
  return name !== undefined && list?.items ? { name, type: typeOf(list.items) } : undefined
}

export function operationsSource(): string {
  const known = new Set([
    ...Object.keys(byHand),
    ...Object.values(nouns).flatMap(({ methods }) => Object.keys(methods)),
  ])
  for (const operation of description.operations)
    if (!known.has(operation.id) && answerOf(operation).schema)
      throw new Error(`scripts/describe/client/names.ts has no name for ${operation.id}`)

  const made = Object.entries(nouns).map(([noun, { about, methods }]) => ({
    noun,
    about,
    methods: Object.entries(methods).map(([operationId, name]) => methodOf(operationId, name)),
  }))
  const records = new Set(made.flatMap(({ methods }) => methods.flatMap(({ records }) => records)))
  const sources = made.map(({ noun, about, methods }) => {
    const type = `${noun[0]?.toUpperCase()}${noun.slice(1)}Operations`
    return `/** ${about} */
export interface ${type} {
${methods.map(({ declared }) => declared).join('\n')}
}

export function ${noun}Of(transport: Transport): ${type} {
  return {
${methods.map(({ written }) => `${written},`).join('\n')}
  }
}
`
  })
  return `// Generated by npm run describe from the API description.

import { bodyOf, bodyWithEtag, bodyWithSeq, done, type WithEtag, type WithSeq } from './answers.ts'
import { type List, listByCursor } from './list.ts'
import type { AuditedOptions, ChangeOptions, CreationOptions, RequestOptions } from './options.ts'
import type { ${[...records].sort(byName).join(', ')} } from './records.ts'
import type { Transport } from './transport.ts'

${sources.join('\n')}`
}
