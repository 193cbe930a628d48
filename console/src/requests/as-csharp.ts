import { csharpCall } from './csharp/call.ts'
import { csharpRequest } from './csharp/request.ts'
import type { Operation } from './operation.ts'
import { jsonIn, type RecordedRequest } from './recorded.ts'

/**
 * A request as a call of the C# client, with `content` for bytes that the log does not keep; one that is no operation of the
 * service as C# 7 for an `HttpClient http`.
 */
export function asCSharp(request: RecordedRequest, operation?: Operation): string {
  const call = operation && asCall(request, operation)
  if (call !== undefined) return call
  const { 'x-d1-bookmark': _, ...headers } = request.headers
  const json = jsonIn(request.body)
  const { answer } = request
  return csharpRequest({
    method: request.method,
    url: request.url,
    headers,
    needsToken: request.is_of_service,
    json: json === undefined ? undefined : JSON.stringify(json),
    content: request.body && json === undefined ? 'content' : undefined,
    answersContent: answer?.body !== undefined && answer.body.text === undefined,
  })
}

function asCall({ url, headers, body }: RecordedRequest, { id, path }: Operation): string | undefined {
  if (body?.is_cut) return undefined
  const { searchParams } = new URL(url)
  const query = Object.fromEntries(
    [...searchParams.keys()].map((name) => {
      const [value, ...others] = searchParams.getAll(name)
      return [name, others.length > 0 ? [value, ...others] : value]
    }),
  )
  return csharpCall(id, { path, query, headers, body: jsonIn(body) })
}
