/** Prints client/src/operations.ts: a method of the client for each operation of the API description. */
import { z } from '@hono/zod-openapi'
import { describe } from '../../src/describe.ts'
import { mayBeRepeated } from './repeatable.ts'

const description = z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(await describe())))

/** Follows `$ref`s; other values are returned as they are. */
function resolved(value: unknown): unknown {
  const { data } = z.object({ $ref: z.string() }).safeParse(value)
  if (!data) return value
  const steps = data.$ref.split('/').slice(1)
  return resolved(
    steps.reduce<unknown>((at, step) => z.record(z.string(), z.unknown()).parse(at)[step], description),
  )
}

const ref = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(resolved, schema)

const Property = ref(z.looseObject({ type: z.unknown().optional() }))
const Schema = ref(
  z.looseObject({
    properties: z.record(z.string(), Property).default({}),
    oneOf: z
      .array(ref(z.looseObject({ properties: z.record(z.string(), Property).default({}) })))
      .default([]),
  }),
)
const Json = z.object({ 'application/json': z.object({ schema: Schema }).optional() })
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(ref(z.object({ in: z.string(), name: z.string(), required: z.boolean().optional() })))
    .default([]),
  requestBody: ref(z.object({ content: Json, required: z.boolean().optional() })).optional(),
  responses: z.record(
    z.string(),
    ref(z.object({ headers: z.record(z.string(), z.unknown()).default({}), content: Json.optional() })),
  ),
})
type Operation = z.output<typeof Operation>

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const
type Method = (typeof methods)[number]
const Paths = z.record(
  z.string(),
  z.object(Object.fromEntries(methods.map((method) => [method, Operation.optional()]))),
)

/** The operations whose methods are written by hand, because the studio adds types (client/src/notifications.ts). */
const withOwnTypes = [
  'listNotifications',
  'publishNotification',
  'publishNotifications',
  'listAnnouncements',
  'publishAnnouncement',
]

/**
 * The source of an operation's method; '' for the socket, which `inbox()` opens, for operations without a token, whose URLs
 * answers contain, and for those that are written by hand.
 */
function methodOf(path: string, method: Method, operation: Operation): string {
  const { operationId, summary, requestBody, parameters, security } = operation
  if (security?.length === 0 || withOwnTypes.includes(operationId)) return ''
  const [status, success] = Object.entries(operation.responses).find(([code]) => Number(code) < 300) ?? []
  if (!status || !success || status === '101') return ''
  // Bodies and answers of bytes have methods of their own.
  const isJson = (content: object | undefined) => content === undefined || 'application/json' in content
  if (!isJson(requestBody?.content) || !isJson(success.content)) return ''

  const named = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const header = (name: string) => named('header').some((given) => given.name.toLowerCase() === name)
  const inPath = named('path').map(({ name }) => name)
  const query = named('query').map(({ name }) => name)
  const bodySchema = requestBody?.content['application/json']?.schema
  const body = [bodySchema, ...(bodySchema?.oneOf ?? [])].flatMap((schema) =>
    Object.keys(schema?.properties ?? {}),
  )
  const rest = body.length > 0 ? 'body' : 'query'
  if (body.length > 0 && query.length > 0) throw new Error(`${operationId} has a body and a query`)
  const twice = inPath.filter((name) => [...body, ...query].includes(name))
  if (twice.length > 0) throw new Error(`${operationId}: ${twice} is in the path and in the ${rest}`)

  const isCreation = header('idempotency-key')
  const options = [isCreation && 'CreationOptions', header('if-match') && 'ChangeOptions'].filter(Boolean)
  const optionsType = options.join(' & ') || 'RequestOptions'
  const isRepeatable = mayBeRepeated(operationId, method, inPath)
  const sending = isCreation ? 'creating' : isRepeatable ? 'repeatable' : 'unrepeatable'

  const members = body.length + query.length
  const isRequired =
    inPath.length > 0 ||
    (body.length > 0 && requestBody?.required) ||
    named('query').some(({ required }) => required)
  const params = [inPath.length > 0 && `path: { ${inPath.join(', ')} }`, query.length > 0 && 'query']
    .filter(Boolean)
    .join(', ')
  const init = [
    `...transport.${sending}(options)`,
    params && `params: { ${params} }`,
    body.length > 0 && 'body',
  ]
    .filter(Boolean)
    .join(', ')
  const request = `http.${method.toUpperCase()}('${path}', { ${init} })`

  const given =
    inPath.length === 0 ? rest : `{ ${[...inPath, members > 0 && `...${rest}`].filter(Boolean).join(', ')} }`
  const type = `Arguments<'${operationId}'>${isRequired ? '' : ' = {}'}`
  const hasArguments = inPath.length + members > 0
  const answer = answerOf(success, request)
  const comment = `/** ${[summary, operation.description]
    .filter(Boolean)
    .join('. ')
    .replaceAll(/\s+/g, ' ')
    .replace(/([^.])$/, '$1.')} */`

  const items = itemsOf(success)
  const source =
    query.includes('cursor') && items
      ? `${operationId}: (query: ${type}, options: ${optionsType} = {}) =>
          listByCursor(query, (${given}) => ${answer}, (page) => page.${items}),`
      : `${operationId}: (${hasArguments ? `${given}: ${type}, ` : ''}options: ${optionsType} = {}) => ${answer},`
  return `${comment}\n${source}\n`
}

/** The source of the expression that sends the request and converts its answer into the method's result. */
function answerOf({ headers, content }: Operation['responses'][string], request: string): string {
  if (!content?.['application/json']) return `done(${request})`
  if ('ETag' in headers) return `bodyWithEtag(${request})`
  if ('X-Inbox-Seq' in headers) return `bodyWithSeq(${request})`
  return `bodyOf(${request})`
}

/** The name of a page's field with its items. */
function itemsOf({ content }: Operation['responses'][string]): string | undefined {
  const properties = content?.['application/json']?.schema.properties ?? {}
  return Object.keys(properties).find((name) => properties[name]?.type === 'array')
}

const sources = Object.entries(Paths.parse(description.paths)).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method]
    return operation ? methodOf(path, method, operation) : []
  }),
)

console.log(`// Generated by npm run describe from the API description.

import { bodyOf, bodyWithEtag, bodyWithSeq, done } from './answers.ts'
import type { Arguments } from './arguments.ts'
import { listByCursor } from './list.ts'
import type { ChangeOptions, CreationOptions, RequestOptions } from './options.ts'
import type { Transport } from './transport.ts'

/** A method for each operation of the service, named by its \`operationId\`. */
export function operationsOf(transport: Transport) {
  const { http } = transport
  return {
${sources.join('')}
  }
}

export type Operations = ReturnType<typeof operationsOf>
`)
