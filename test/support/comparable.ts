import type { Answer } from './user.ts'

/** An answer as a client can compare it: everything but the request's own id and the place in the database's history. */
export function comparable({ status, headers, text }: Answer): unknown {
  const id = headers.get('X-Request-Id') ?? ''
  const shown = [...headers].filter(([name]) => !['x-request-id', 'x-d1-bookmark'].includes(name))
  return { status, headers: shown.sort(), text: text.replace(id, 'REQUEST-ID') }
}
