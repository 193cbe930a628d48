import type { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import { expectDescribed } from './description.ts'
import type { Answer, RequestOptions } from './exchange.ts'
import { origin, usualService } from './service.ts'

export type { Answer, RequestOptions } from './exchange.ts'

/** Sends a request without a user's token, and reads the answer. Fails unless the answer matches the description. */
export async function send(
  method: string,
  path: string,
  { headers = {}, json, body }: RequestOptions = {},
  reach = usualService,
): Promise<Answer> {
  const content = json === undefined ? body : JSON.stringify(json)
  const type = json === undefined ? undefined : { 'Content-Type': 'application/json' }
  const request = new Request(origin + path, { method, headers: { ...type, ...headers }, body: content })
  const response = await reach(request)
  const text = await response.text()
  await expectDescribed(request, response, text)
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson(response) && text !== '' ? JSON.parse(text) : undefined,
  }
}

/** Whether an answer is JSON, and not the content of a file. */
function isJson(response: Response): boolean {
  return (
    /^application\/(problem\+)?json/.test(response.headers.get('Content-Type') ?? '') &&
    !response.headers.has('Content-Disposition')
  )
}

/** Parses the body of an answer. Fails unless the answer has this status. */
export function made<Schema extends z.ZodType>(
  schema: Schema,
  answer: Answer,
  status: number,
): z.output<Schema> {
  expect(answer.status, answer.text).toBe(status)
  return schema.parse(answer.body)
}

/** The comparable part of an answer: without the request id, the timings and the bookmark. */
export function comparable({ status, headers, text }: Answer): unknown {
  const id = headers.get('X-Request-Id') ?? ''
  const own = ['x-request-id', 'x-d1-bookmark', 'server-timing']
  const shown = [...headers].filter(([name]) => !own.includes(name))
  return { status, headers: shown.sort(), text: text.replace(id, 'REQUEST-ID') }
}
