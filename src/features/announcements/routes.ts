import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  operatorRoute,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { deleteAnnouncement, listAnnouncements, publishAnnouncement } from './publish.ts'
import { announcementRecord } from './row.ts'
import * as schema from './schema.ts'

/** Announcements to all users (docs/conformance.md#announcements), mounted at /v1/announcements. */
export const announcements = createRouter()

const publishers = operatorRoute('announcements:publish', 'Announcements')
const requiresScope = 'Requires a token with the scope `announcements:publish`.'

const postAnnouncement = createRoute({
  method: 'post',
  path: '/',
  operationId: 'publishAnnouncement',
  summary: 'Announce to all users',
  description: `Every inbox takes the announcement in, as a notification, when its user next lists, counts or connects: within a minute everywhere. ${requiresScope} An Idempotency-Key holds as long as the announcement is in force.`,
  ...publishers,
  middleware: [publishers.middleware, jsonBody],
  request: { headers: IdempotencyKeyHeader, body: jsonRequest(schema.PublishAnnouncement) },
  responses: {
    201: json(schema.Announcement, 'The announcement'),
    ...errorResponsesWithBody('FORBIDDEN', 'LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'),
  },
})
announcements.openapi(postAnnouncement, async (c) => {
  const input = c.req.valid('json')
  const row = await publishAnnouncement(requestContext(c), input, await idempotencyKey(c, input))
  return c.json(announcementRecord(row), 201)
})

const getAnnouncements = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listAnnouncements',
  summary: 'List the announcements that are in force, newest first',
  description: requiresScope,
  ...publishers,
  request: { query: schema.ListAnnouncements },
  responses: {
    200: json(schema.AnnouncementPage, 'A page of announcements'),
    ...errorResponses('FORBIDDEN', 'INVALID_CURSOR'),
  },
})
announcements.openapi(getAnnouncements, async (c) => {
  const { rows, next_cursor } = await listAnnouncements(requestContext(c), c.req.valid('query'))
  return c.json({ announcements: rows.map(announcementRecord), next_cursor }, 200)
})

const deleteOne = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'deleteAnnouncement',
  summary: 'End an announcement',
  description: `It goes from each inbox when its user next lists, counts or connects. ${requiresScope}`,
  ...publishers,
  request: { params: schema.AnnouncementId },
  responses: {
    204: { description: 'The announcement has ended' },
    ...errorResponses('FORBIDDEN', 'ANNOUNCEMENT_NOT_FOUND'),
  },
})
announcements.openapi(deleteOne, async (c) => {
  await deleteAnnouncement(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})
