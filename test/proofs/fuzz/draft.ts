import type { JsonSchema, Operation } from './operations.ts'
import type { RequestStep } from './step.ts'
import { isMembers, plain, type Value, write } from './values.ts'

/** A request by its parts, each still a value. */
export interface Draft {
  operation: Operation
  who: number | undefined
  path: Record<string, Value>
  query: Record<string, Value>
  headers: Record<string, Value>
  body: Value | undefined
}

/** A part of a draft that can be another, or not be there. */
export interface Place {
  name: string
  schema: JsonSchema
  replace: (value: Value) => void
  /** Undefined for what has to be there to make a request at all. */
  remove: (() => void) | undefined
}

/** Every part of a draft: each parameter, the body, and each member of it at any depth, also those that are not there. */
export function placesOf(draft: Draft): Place[] {
  const { operation } = draft
  const places: Place[] = operation.parameters.map(({ name, in: where, schema }) => {
    const values = where === 'header' ? draft.headers : draft[where]
    return {
      name,
      schema,
      replace: (value) => {
        values[name] = value
      },
      remove:
        where === 'path'
          ? undefined
          : () => {
              delete values[name]
            },
    }
  })
  if (!operation.body) return places
  places.push({
    name: '',
    schema: operation.body,
    replace: (value) => {
      draft.body = value
    },
    remove: () => {
      draft.body = undefined
    },
  })
  return [...places, ...within(operation.body, draft.body)]
}

function* within(schema: JsonSchema, value: Value | undefined): Generator<Place> {
  for (const option of schema.oneOf ?? []) yield* within(option, value)
  if (Array.isArray(value) && schema.items)
    for (const [index, item] of value.entries()) {
      yield {
        name: String(index),
        schema: schema.items,
        replace: (other) => {
          value[index] = other
        },
        remove: () => {
          value.splice(index, 1)
        },
      }
      yield* within(schema.items, item)
    }
  if (!isMembers(value)) return
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    yield {
      name,
      schema: of,
      replace: (other) => {
        value[name] = other
      },
      remove: () => {
        delete value[name]
      },
    }
    yield* within(of, value[name])
  }
}

/** The request that a draft stands for. */
export function written(draft: Draft, number: number, intent: string): RequestStep {
  const { operation, who, path, query, headers, body } = draft
  const pathname = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encoded(path[name] ?? 'x'))
  const search = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item) => `${encoded(name)}=${encoded(item)}`)
      : [`${encoded(name)}=${encoded(value)}`],
  )
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, plain(value)]))
  return {
    number,
    who,
    method: operation.method,
    path: pathname + (search.length > 0 ? `?${search.join('&')}` : ''),
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...sent },
    body: body === undefined ? undefined : write(body),
    intent,
  }
}

/** Percent-encoded; half a surrogate pair, which can't be, as the bytes that some clients send for it. */
function encoded(value: Value): string {
  const text = plain(value)
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}
