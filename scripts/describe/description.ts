/** An API description as generators and the reference read it: operations in groups, with every `$ref` followed. */

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
  /** Those of `codes` that not every operation may answer. */
  ownCodes: string[]
  tags: string[]
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

/** The JSON of a description. */
export interface Document {
  info: { description: string }
  tags: { name: string; description: string }[]
  paths: Paths
  components: { pathItems?: Paths; schemas: Record<string, Schema>; [kind: string]: object | undefined }
}

export class Description {
  readonly introduction: string
  /** The operations of the paths, without the socket's. */
  readonly operations: Operation[]
  readonly groups: Group[]
  /** The schemas that have a name. */
  readonly schemas: Record<string, Schema>
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
    const { info, tags, paths, components } = document
    const { NotificationSocket } = components.pathItems ?? {}
    this.introduction = info.description
    this.schemas = components.schemas
    this.operations = this.#operationsIn(paths)
    const socket = NotificationSocket && { '/v1/notifications/ws': NotificationSocket }
    const all = [...this.operations, ...this.#operationsIn(socket ?? {})]
    this.groups = tags.map(({ name, description }) => {
      return { name, description, operations: all.filter((operation) => operation.tags.includes(name)) }
    })
  }

  /** The schema that a `$ref` leads to; others as they are. */
  followed(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : this.followed(this.#target<Schema>(schema.$ref))
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

  #target<Type>(ref: string): Type {
    const [, , kind = '', name = ''] = ref.split('/')
    const target: Type | undefined = Object.entries(this.#document.components[kind] ?? {}).find(
      ([key]) => key === name,
    )?.[1]
    if (target === undefined) throw new Error(`The description has no ${ref}.`)
    return target
  }

  #resolved<Type extends object>(value: Type | Reference): Type {
    return '$ref' in value ? this.#target<Type>(value.$ref) : value
  }

  #operationsIn(paths: Paths): Operation[] {
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => this.#operation(method, path, operation)),
    )
  }

  #operation(method: string, path: string, operation: DescribedOperation): Operation {
    const { operationId, summary, description = '', requestBody, security, tags } = operation
    const responses = Object.entries(operation.responses).map(
      ([status, response]) => [status, this.#resolved(response)] as const,
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
      parameters: (operation.parameters ?? []).map((parameter) => this.#resolved(parameter)),
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
      ownCodes: responses.flatMap(([status, response]) =>
        status === 'default' ? [] : this.#codes(response).map(([code]) => code),
      ),
      tags,
    }
  }

  #answer(status: string, { description, headers = {}, content = {} }: DescribedResponse): Answer {
    const [type, body] = Object.entries(content)[0] ?? []
    const isJson = type === 'application/json'
    return {
      status,
      description,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, header]) => [name, this.#resolved(header)]),
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

/** The name of the schema that a `$ref` leads to; undefined for a schema without one. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

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
