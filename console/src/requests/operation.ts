import { record } from '../json.ts'
import type { RecordedRequest } from './recorded.ts'

/** The operation of a request, as the description of the API has it. */
export interface Operation {
  id: string
  /** What it does, in one sentence. */
  summary: string
  /** The parameters in the path. */
  path: Record<string, unknown>
}

/** The operation of a request in a description. */
export function operationIn(
  description: unknown,
  { method, url }: Pick<RecordedRequest, 'method' | 'url'>,
): Operation | undefined {
  const { pathname } = new URL(url)
  const paths = Object.entries(record(record(description).paths))
  const byParameters = ([one]: [string, unknown], [other]: [string, unknown]) =>
    one.split('{').length - other.split('{').length
  for (const [path, item] of paths.sort(byParameters)) {
    const { operationId: id, summary } = record(record(item)[method.toLowerCase()])
    const match = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname)
    if (match && typeof id === 'string')
      return {
        id,
        summary: typeof summary === 'string' ? summary : id,
        path: parametersOf(match.groups ?? {}),
      }
  }
  return undefined
}

function parametersOf(groups: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [name, plain(decodeURIComponent(value))]),
  )
}

/** A parameter as a value of the client's types: number, boolean or string. */
export function plain(value: string): unknown {
  if (/^(0|[1-9]\d{0,14})$/.test(value)) return Number(value)
  return value === 'true' ? true : value === 'false' ? false : value
}
