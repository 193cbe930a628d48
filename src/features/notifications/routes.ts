import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  inboxSeqHeader,
  json,
  jsonRequest,
  operatorRoute,
  optionalJson,
} from '../../platform/http/openapi.ts'
import { inboxContext } from '../../platform/http/request-context.ts'
import { deleteNotification, deleteNotifications, markRead } from './call-inbox.ts'
import { connect } from './connect.ts'
import { lookInto } from './look.ts'
import { batchResult, publishBatch, publishNotification } from './publish.ts'
import * as schema from './schema.ts'

/** The inbox (docs/conformance.md#notifications), mounted at /v1/notifications. */
export const notifications = createRouter()
const tags = ['Notifications']

const getNotifications = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listNotifications',
  summary: 'List the caller’s notifications, newest first',
  description: 'A socket whose `after` is the `X-Inbox-Seq` of this answer reports every later change.',
  tags,
  request: { query: schema.ListNotifications },
  responses: {
    200: { ...json(schema.NotificationPage, 'A page of notifications'), headers: inboxSeqHeader },
    ...errorResponses(),
  },
})
notifications.openapi(getNotifications, async (c) => {
  const ctx = inboxContext(c)
  const query = c.req.valid('query')
  const { seq, notifications, total, unread } = await lookInto(ctx, async (inbox, announced) =>
    inbox.list(query, announced),
  )
  return c.json({ notifications, total, unread }, 200, { 'X-Inbox-Seq': String(seq) })
})

const getUnreadCount = createRoute({
  method: 'get',
  path: '/unread-count',
  operationId: 'countUnread',
  summary: 'Count the caller’s unread notifications',
  description: 'A socket reports each change of the count.',
  tags,
  responses: {
    200: { ...json(schema.UnreadCount, 'The number of unread notifications'), headers: inboxSeqHeader },
    ...errorResponses(),
  },
})
notifications.openapi(getUnreadCount, async (c) => {
  const ctx = inboxContext(c)
  const { unread, seq } = await lookInto(ctx, async (inbox, announced) => inbox.counts(announced))
  return c.json({ count: unread }, 200, { 'X-Inbox-Seq': String(seq) })
})

const postRead = createRoute({
  method: 'post',
  path: '/read',
  operationId: 'markNotificationsRead',
  summary: 'Mark some or all notifications as read',
  description: 'Without ids, all are marked.',
  tags,
  middleware: jsonBody,
  request: { body: optionalJson(schema.ReadNotifications) },
  responses: {
    200: json(schema.MarkedCount, 'The number of notifications that were unread'),
    ...errorResponsesWithBody(),
  },
})
notifications.openapi(postRead, async (c) => {
  const marked_count = await markRead(inboxContext(c), c.req.valid('json').notification_ids)
  return c.json({ marked_count }, 200)
})

const postDelete = createRoute({
  method: 'post',
  path: '/delete',
  operationId: 'deleteNotifications',
  summary: 'Delete some or all notifications permanently',
  description:
    'Exactly one of `notification_ids`, `state` and `all`. The notifications disappear on all devices.',
  tags,
  middleware: jsonBody,
  request: { body: jsonRequest(schema.DeleteNotifications) },
  responses: {
    200: json(schema.DeletedCount, 'The number of notifications that were there'),
    ...errorResponsesWithBody(),
  },
})
notifications.openapi(postDelete, async (c) => {
  const deleted_count = await deleteNotifications(inboxContext(c), c.req.valid('json'))
  return c.json({ deleted_count }, 200)
})

const deleteOne = createRoute({
  method: 'delete',
  path: '/{id}',
  operationId: 'deleteNotification',
  summary: 'Delete a notification permanently',
  description: 'The notification disappears on all devices.',
  tags,
  request: { params: schema.NotificationId },
  responses: {
    204: { description: 'The notification is deleted' },
    ...errorResponses('NOTIFICATION_NOT_FOUND'),
  },
})
notifications.openapi(deleteOne, async (c) => {
  await deleteNotification(inboxContext(c), c.req.valid('param').id)
  return c.body(null, 204)
})

const publishers = operatorRoute('notifications:publish')

const postNotification = createRoute({
  method: 'post',
  path: '/',
  operationId: 'publishNotification',
  summary: 'Publish a notification to a user’s inbox',
  description:
    'For the studio’s own services: requires a token with the scope `notifications:publish`. An Idempotency-Key belongs to one publisher and one recipient; a repetition gets the notification of the first request.',
  ...publishers,
  middleware: [publishers.middleware, jsonBody],
  request: { headers: IdempotencyKeyHeader, body: jsonRequest(schema.PublishNotification) },
  responses: {
    201: json(schema.Notification, 'The notification'),
    ...errorResponsesWithBody('FORBIDDEN', 'IDEMPOTENCY_KEY_REUSED'),
  },
})
notifications.openapi(postNotification, async (c) => {
  const input = c.req.valid('json')
  return c.json(await publishNotification(inboxContext(c), input, await idempotencyKey(c, input)), 201)
})

const postBatch = createRoute({
  method: 'post',
  path: '/batch',
  operationId: 'publishNotifications',
  summary: 'Publish a notification to up to 100 users',
  description:
    'For the studio’s own services: requires a token with the scope `notifications:publish`. Each recipient has an outcome of their own. An Idempotency-Key holds for each recipient, and is the same key as that of a single publication: after a failure, repeat the request with it.',
  ...publishers,
  middleware: [publishers.middleware, jsonBody],
  request: { headers: IdempotencyKeyHeader, body: jsonRequest(schema.PublishBatch) },
  responses: {
    200: json(schema.BatchResults, 'The outcome for each user'),
    ...errorResponsesWithBody('FORBIDDEN'),
  },
})
notifications.openapi(postBatch, async (c) => {
  const { user_ids, ...message } = c.req.valid('json')
  const inputs = user_ids.map((user_id) => ({ user_id, ...message }))
  const outcomes = await publishBatch(inboxContext(c), inputs, (input) =>
    idempotencyKey(c, input, '/v1/notifications'),
  )
  return c.json({ results: outcomes.map(batchResult) }, 200)
})

const getSocket = createRoute({
  method: 'get',
  path: '/ws',
  'x-socket': 'NotificationSocket',
  operationId: 'openSocket',
  summary: 'Open a WebSocket that reports every change to the caller’s inbox',
  description:
    'The token comes in `Authorization`, or, for browsers, as subprotocols `notifications.v1, bearer.TOKEN`. The first message is `ready`.',
  tags,
  request: { query: schema.ConnectSocket },
  responses: { 101: { description: 'The socket' }, ...errorResponses('UPGRADE_REQUIRED') },
})
notifications.openapi(getSocket, async (c) => {
  const response = await connect(inboxContext(c), {
    method: c.req.method,
    upgrade: c.req.header('Upgrade'),
    offered: c.req.header('Sec-WebSocket-Protocol'),
    after: c.req.valid('query').after,
    expires_at: c.get('caller').expires_at,
  })
  // Hono's context would build a new response without the socket.
  const socket = new Response(null, response)
  socket.headers.set('X-Request-Id', c.get('requestId'))
  socket.headers.set('Cache-Control', 'no-store')
  return socket
})
