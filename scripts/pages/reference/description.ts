/** The API descriptions of docs/ as the reference takes them: operations in groups, with every `$ref` followed. */
import { readFileSync } from 'node:fs'
import { project } from '../../development.ts'

/** A schema of JSON Schema 2020-12, as far as the descriptions use it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  description?: string
  example?: unknown
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema: Schema
}

interface Header {
  description?: string
  required?: boolean
  schema: Schema
}

export interface Answer {
  status: string
  description: string
  headers: Record<string, Header>
  /** The schema of a JSON body. */
  schema?: Schema
  /** The type of a body that is no JSON. */
  bytes?: string
}

export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  description: string
  scopes: string[]
  needsToken: boolean
  parameters: Parameter[]
  body?: { schema: Schema; isRequired: boolean; isJson: boolean }
  /** The answers that are no problem documents. */
  answers: Answer[]
  /** The codes of the problem documents, each with the members that it adds to them. */
  codes: Map<string, Record<string, Schema>>
}

export interface Group {
  name: string
  description: string
  operations: Operation[]
}

interface Reference {
  $ref: string
}

interface Content {
  schema: Schema
}

interface DescribedResponse {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Record<string, Content>
}

interface DescribedOperation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: object[]
  'x-scopes'?: string[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<string, DescribedResponse | Reference>
}

type Paths = Record<string, Record<string, DescribedOperation>>

interface Document {
  info: { description: string }
  tags: { name: string; description: string }[]
  paths: Paths
  components: { pathItems?: Paths; schemas: Record<string, Schema>; [kind: string]: object | undefined }
}

/** A file of docs/ with operations. */
export class Description {
  readonly introduction: string
  readonly groups: Group[]
  readonly #document: Document

  constructor(file: string) {
    this.#document = JSON.parse(readFileSync(`${project}docs/${file}`, 'utf8'))
    const { info, tags, paths, components } = this.#document
    const { NotificationSocket } = components.pathItems ?? {}
    const all = { ...paths, ...(NotificationSocket && { '/v1/notifications/ws': NotificationSocket }) }
    this.introduction = info.description
    this.groups = tags.map(({ name, description }) => ({
      name,
      description,
      operations: Object.entries(all).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([, operation]) => operation.tags.includes(name))
          .map(([method, operation]) => this.#operation(method, path, operation)),
      ),
    }))
  }

  /**
   * A schema without `$ref` and `allOf` at its top: the members of all of them together. A description beside a `$ref` comes
   * before that of its target.
   */
  resolved(schema: Schema): Schema {
    const { $ref, allOf = [], anyOf, ...own } = schema
    const isNullable = anyOf?.some(({ type }) => type === 'null') ?? false
    const choices = anyOf?.filter(({ type }) => type !== 'null')
    const [only] = choices ?? []
    const parts = [...($ref ? [this.#target<Schema>($ref)] : []), ...allOf]
    if (only && choices?.length === 1) parts.push(only)
    const merged = parts.map((part) => this.resolved(part)).reduce(together, {})
    const whole = together(merged, own)
    if (choices && choices.length > 1) whole.oneOf = choices
    if (isNullable) whole.type = [whole.type ?? 'object', 'null'].flat()
    return whole
  }

  /** The name of the schema that a `$ref` leads to; undefined for others. */
  nameOf({ $ref }: Schema): string | undefined {
    return $ref?.split('/').at(-1)
  }

  #target<Type>(ref: string): Type {
    const [, , kind = '', name = ''] = ref.split('/')
    const target: Type | undefined = Object.entries(this.#document.components[kind] ?? {}).find(
      ([key]) => key === name,
    )?.[1]
    if (target === undefined) throw new Error(`The description has no ${ref}.`)
    return target
  }

  #followed<Type extends object>(value: Type | Reference): Type {
    return '$ref' in value ? this.#target<Type>(value.$ref) : value
  }

  #operation(method: string, path: string, operation: DescribedOperation): Operation {
    const { operationId, summary, description = '', requestBody, security } = operation
    const responses = Object.entries(operation.responses).map(
      ([status, response]) => [status, this.#followed(response)] as const,
    )
    const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
    return {
      id: operationId,
      method: method.toUpperCase(),
      path,
      summary,
      description,
      scopes: operation['x-scopes'] ?? [],
      needsToken: security?.length !== 0,
      parameters: (operation.parameters ?? []).map((parameter) => this.#followed(parameter)),
      ...(content && {
        body: {
          schema: content.schema,
          isRequired: requestBody?.required ?? false,
          isJson: type === 'application/json',
        },
      }),
      answers: responses
        .filter(([status]) => Number(status) < 400)
        .map(([status, response]) => this.#answer(status, response)),
      codes: new Map(responses.flatMap(([, response]) => this.#codes(response))),
    }
  }

  #answer(status: string, { description, headers = {}, content = {} }: DescribedResponse): Answer {
    const [type, body] = Object.entries(content)[0] ?? []
    const isJson = type === 'application/json'
    return {
      status,
      description,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, header]) => [name, this.#followed(header)]),
      ),
      ...(body && isJson && { schema: body.schema }),
      ...(type && !isJson && { bytes: type }),
    }
  }

  #codes({ content = {} }: DescribedResponse): [string, Record<string, Schema>][] {
    const problem = content['application/problem+json']
    if (!problem) return []
    const { properties = {} } = this.resolved(problem.schema)
    const common = this.#document.components.schemas.Problem?.properties ?? {}
    const more = Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in common)))
    return (properties.code?.enum ?? []).map((code) => [String(code), more])
  }
}

/** Both schemas in one: the members of the second replace those of the first. */
function together(one: Schema, other: Schema): Schema {
  const description = [other.description, one.description].filter(Boolean).join('. ')
  const properties = { ...one.properties, ...other.properties }
  const required = [...(one.required ?? []), ...(other.required ?? [])]
  return {
    ...one,
    ...other,
    ...(description && { description }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}
