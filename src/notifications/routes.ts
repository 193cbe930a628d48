import { createRoute, z } from '@hono/zod-openapi'
import { requireScope } from '../auth/scope.ts'
import { jsonBody } from '../http/body.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../http/idempotency-key.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  optionalJson,
} from '../http/openapi.ts'
import { requestContext } from '../http/request-context.ts'
import { connect } from './connect.ts'
import { deleteNotification, listNotifications, markRead, readCounts } from './own-inbox.ts'
import { publishNotification } from './publish.ts'
import * as schema from './schema.ts'

/** Specification §4.6 and what the decisions add to it, mounted at /v1/notifications. */
export const notifications = createRouter()
const tags = ['Notifications']

const getNotifications = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listNotifications',
  summary: 'List the caller’s notifications, newest first',
  tags,
  request: { query: schema.ListNotifications },
  responses: {
    200: { ...json(schema.NotificationList, 'A page of notifications'), headers: schema.inboxSeqHeader },
    ...errorResponses(),
  },
})
notifications.openapi(getNotifications, async (c) => {
  const { seq, ...page } = await listNotifications(requestContext(c), c.req.valid('query'))
  return c.json(page, 200, { 'X-Inbox-Seq': String(seq) })
})

const getUnreadCount = createRoute({
  method: 'get',
  path: '/unread-count',
  operationId: 'countUnread',
  summary: 'Count the caller’s unread notifications',
  tags,
  responses: {
    200: { ...json(schema.UnreadCount, 'How many there are'), headers: schema.inboxSeqHeader },
    ...errorResponses(),
  },
})
notifications.openapi(getUnreadCount, async (c) => {
  const { unread, seq } = await readCounts(requestContext(c))
  return c.json({ count: unread }, 200, { 'X-Inbox-Seq': String(seq) })
})

const postRead = createRoute({
  method: 'post',
  path: '/read',
  operationId: 'markNotificationsRead',
  summary: 'Mark notifications as read: some, or all',
  tags,
  middleware: jsonBody,
  request: { body: optionalJson(schema.ReadNotifications) },
  responses: { 200: json(schema.MarkedCount, 'How many were unread'), ...errorResponsesWithBody() },
})
notifications.openapi(postRead, async (c) => {
  const marked_count = await markRead(requestContext(c), c.req.valid('json').notification_ids)
  return c.json({ marked_count }, 200)
})

const deleteOne = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'deleteNotification',
  summary: 'Delete a notification for good',
  tags,
  request: { params: schema.NotificationId },
  responses: { 204: { description: 'It is gone' }, ...errorResponses('NOTIFICATION_NOT_FOUND') },
})
notifications.openapi(deleteOne, async (c) => {
  await deleteNotification(requestContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const postNotification = createRoute({
  method: 'post',
  path: '/',
  operationId: 'publishNotification',
  summary: 'Put a notification into a user’s inbox',
  description:
    'For the studio’s own services: takes a token with the scope `notifications:publish`. An Idempotency-Key belongs to one publisher and one recipient; a retry is answered as the first was.',
  tags: ['Operators'],
  security: [{ bearer: ['notifications:publish'] }],
  middleware: [requireScope('notifications:publish'), jsonBody],
  request: { headers: IdempotencyKeyHeader, body: jsonRequest(schema.PublishNotification) },
  responses: {
    201: json(schema.Notification, 'The notification'),
    ...errorResponsesWithBody('FORBIDDEN', 'IDEMPOTENCY_KEY_REUSED'),
  },
})
notifications.openapi(postNotification, async (c) => {
  const input = c.req.valid('json')
  return c.json(await publishNotification(requestContext(c), input, await idempotencyKey(c, input)), 201)
})

const After = z.object({
  after: z
    .string()
    .regex(/^\d+$/, 'must be the seq of the last event that the client has seen')
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .optional()
    .openapi({ type: 'integer', minimum: 0, description: 'Go on after this seq' }),
})

const getSocket = createRoute({
  method: 'get',
  path: '/ws',
  operationId: 'openSocket',
  summary: 'Open a WebSocket that tells every change to the caller’s inbox',
  description:
    'The token comes in `Authorization`, or, for browsers, as subprotocols `notifications.v1, bearer.TOKEN`. The first message is `ready`.',
  tags,
  request: { query: After },
  responses: { 101: { description: 'The socket' }, ...errorResponses('UPGRADE_REQUIRED') },
})
notifications.openapi(getSocket, async (c) => {
  const answer = await connect(requestContext(c), {
    method: c.req.method,
    upgrade: c.req.header('Upgrade'),
    offered: c.req.header('Sec-WebSocket-Protocol'),
    after: c.req.valid('query').after,
    expires_at: c.var.caller.expires_at,
  })
  // Not through the context, which would build the answer anew, without its socket.
  const socket = new Response(null, answer)
  socket.headers.set('X-Request-Id', c.var.requestId)
  socket.headers.set('Cache-Control', 'no-store')
  return socket
})
