import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bodies } from '../support/bodies.ts'
import { allEndpoints } from '../support/description.ts'
import { unknownId } from '../support/ids.ts'
import { operator, signUp } from '../support/user.ts'

const Invalid = z.object({
  detail: z.string(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
})

/** The most mistakes that an answer names. */
const MAX_ERRORS = 20

/** The members of a body that are lists of more elements than an answer names mistakes, with the most that each takes. */
const Lists = z
  .object({ properties: z.record(z.string(), z.looseObject({ maxItems: z.number().optional() })) })
  .transform(({ properties }) =>
    Object.entries(properties).flatMap(([name, { maxItems = 0 }]) =>
      maxItems > MAX_ERRORS ? [{ name, maxItems }] : [],
    ),
  )

const lists = (await allEndpoints()).flatMap((endpoint) => {
  const body = Lists.safeParse(endpoint.operation.requestBody?.content['application/json']?.schema)
  return (body.data ?? []).map((list) => ({ ...endpoint, ...list }))
})

const complete = `/uploads/${unknownId}/complete`

describe('a body with thousands of mistakes', () => {
  it('is possible in these lists', () => {
    expect(lists.map(({ path, name }) => `${path} ${name}`).sort()).toEqual([
      '/v1/files/urls ids',
      '/v1/game/updates items',
      '/v1/game/urls items',
      '/v1/notifications/batch user_ids',
      '/v1/notifications/delete notification_ids',
      '/v1/notifications/read notification_ids',
      '/v1/profiles user_ids',
      '/v1/recalls slots',
      '/v1/uploads/{id}/complete parts',
      '/v1/uploads/{id}/parts part_numbers',
      '/v1/uploads/{id}/parts uploaded',
    ])
  })

  it.each(lists)('in $name of $path is answered with 20 of them and how many more', async (list) => {
    const { method, path, name, maxItems, operation } = list
    const ada = await operator((operation['x-scopes'] ?? []).join(' '))
    const wrong = Array.from({ length: maxItems }, () => (name.startsWith('part_') ? '' : {}))
    const at = path.replace('/v1', '').replace('{id}', unknownId)
    const answer = await ada.request(method, at, {
      json: { ...Object(bodies[operation.operationId]?.()), [name]: wrong },
    })
    expect(answer).toBeProblem(400, 'VALIDATION_FAILED')
    const { errors, detail } = Invalid.parse(answer.body)
    expect(errors).toHaveLength(20)
    expect(errors[0]?.path).toMatch(new RegExp(`^/${name}/0`))
    expect(Number(/ And (\d+) more\.$/.exec(detail)?.[1])).toBeGreaterThanOrEqual(maxItems - 20)
    expect(answer.text.length).toBeLessThan(8_192)
  })

  it('names the mistake that decides the code, wherever it is', async () => {
    const ada = await signUp()
    const parts = Array.from({ length: 100 }, () => 0)
    const answer = await ada.request('POST', complete, { json: { parts, name: 'x'.repeat(256) } })
    expect(answer).toBeProblem(400, 'ASSET_NAME_TOO_LONG')
    const { errors, detail } = Invalid.parse(answer.body)
    expect(errors).toHaveLength(20)
    expect(errors.map(({ path }) => path)).toContain('/name')
    expect(detail).toMatch(/^.*255.* And 81 more\.$/)
  })

  it('says nothing of more when all are named', async () => {
    const ada = await signUp()
    const answer = await ada.request('POST', complete, { json: { parts: Array(20).fill(0) } })
    const { errors, detail } = Invalid.parse(answer.body)
    expect(errors).toHaveLength(20)
    expect(detail).not.toContain('more')
  })
})

it('a number that would come back with other digits is named as that, and no class of the service', async () => {
  const ada = await signUp()
  const upload = {
    upload_type: 'file',
    name: 'a',
    asset_type: 'file',
    mime_type: 'text/plain',
    size_bytes: 0,
  }
  const body = JSON.stringify(upload).replace('"size_bytes":0', '"size_bytes":76561198000000001')
  const answer = await ada.request('POST', '/uploads', {
    body,
    headers: { 'Content-Type': 'application/json' },
  })
  expect(answer).toBeProblem(400, 'VALIDATION_FAILED', 'received one that would come back with other digits')
  expect(answer.text).not.toContain('Lossless')
})
