import { type Schema, Validator } from '@cfworker/json-schema'
import { expect } from 'vitest'
import { origin, service } from './service.ts'

interface Described {
  'x-problem-codes'?: string[]
  content?: Record<string, { schema: Schema }>
  headers?: Record<string, unknown>
}
export interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: unknown
  security?: { bearer?: string[] }[]
  responses: Record<string, Described>
}
interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

let fetched: Promise<Description> | undefined

/** The service's own description of itself. */
function description(): Promise<Description> {
  fetched ??= service(new Request(`${origin}/openapi.json`)).then((response) => response.json<Description>())
  return fetched
}

/** A described endpoint. */
export interface Endpoint {
  method: string
  /** With its parameters in braces. */
  path: string
  operation: Operation
}

/** Every endpoint of the service: what checks that hold everywhere are generated from. */
export async function endpoints(): Promise<Endpoint[]> {
  const { paths } = await description()
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

/** Fails unless an answer is one that the description has: status, content type, headers and body, no member more. */
export async function expectDescribed(request: Request, response: Response, body: string): Promise<void> {
  const url = new URL(request.url)
  const called = `${request.method} ${url.pathname} → ${response.status}`
  expect(response.headers.get('X-Request-Id'), called).toMatch(/^[\w-]{8,}$/)
  if (request.method === 'OPTIONS') return
  const caching = response.headers.has('ETag') ? 'no-store, no-transform' : 'no-store'
  if (url.pathname.startsWith('/v1')) expect(response.headers.get('Cache-Control'), called).toBe(caching)

  const endpoint = (await endpoints()).find(
    ({ method, path }) => method === request.method && covers(path, url.pathname),
  )
  if (!endpoint) {
    expect([401, 404, 405, 429, 503], `${called} is not described`).toContain(response.status)
    return
  }
  const answer = endpoint.operation.responses[String(response.status)]
  expect(answer, `${called} is not described: ${body}`).toBeDefined()
  const type = response.headers.get('Content-Type')?.split(';')[0] ?? ''
  if (!answer?.content) {
    expect(body, called).toBe('')
    return
  }
  const schema = answer.content[type]?.schema
  expect(schema, `${called}: ${type} is not described`).toBeDefined()
  for (const header of Object.keys(answer.headers ?? {}))
    expect(response.headers.get(header), `${called} without ${header}`).not.toBeNull()
  if (!schema) return
  const codes = answer['x-problem-codes']
  if (codes) expect(codes, `${called}: ${body}`).toContain(JSON.parse(body).code)
  if (JSON.parse(body).code === 'VALIDATION_FAILED')
    expect(JSON.parse(body).errors?.length, `${called} says what is wrong: ${body}`).toBeGreaterThan(0)
  const result = (await validatorOf(schema)).validate(JSON.parse(body))
  expect(result.errors, `${called}: ${body}`).toEqual([])
}

function covers(template: string, path: string): boolean {
  const pattern = template.replaceAll(/[.]/g, '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(path)
}

const validators = new Map<Schema, Validator>()

async function validatorOf(schema: Schema): Promise<Validator> {
  const { components } = await description()
  const known = validators.get(schema) ?? new Validator(closed({ ...schema, components }), '2020-12')
  validators.set(schema, known)
  return known
}

/** The description leaves objects open, so that clients tolerate new members; a test does not. */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value
  if (typeof value !== 'object' || value === null) return value
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]))
  const isObject = 'properties' in value && !('additionalProperties' in value)
  return { ...members, ...(isObject && { additionalProperties: false }) } as Value
}
