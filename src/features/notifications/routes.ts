import { IdempotencyKeyHeader, idempotencyKey } from '../../platform/http/idempotency-key.ts'
import { inboxContext } from '../../platform/http/request-context.ts'
import { created, Reply, Router, route } from '../../platform/http/route.ts'
import { deleteNotification, deleteNotifications, markRead } from './call-inbox.ts'
import { connect } from './connect.ts'
import { batchResult, keyedPart, publishBatch, publishNotification } from './publish.ts'
import { readInbox } from './read-inbox.ts'
import * as schema from './schema.ts'

/** The inbox (docs/conformance.md#notifications). */
export const router = new Router('Notifications', inboxContext)

route(router, 'GET /v1/notifications', 'listNotifications', {
  summary: 'List the caller’s notifications, newest first',
  description: 'A socket whose `after` is the `X-Inbox-Seq` of this answer reports every later change.',
  query: schema.ListNotifications,
  answers: { 200: [schema.NotificationPage, 'A page of notifications', 'X-Inbox-Seq'] },
  handle: async (ctx, { query }) => {
    const { seq, notifications, total, unread } = await readInbox(ctx, async (inbox, announced) =>
      inbox.list(query, announced),
    )
    return new Reply(200, { notifications, total, unread }, { 'X-Inbox-Seq': String(seq) })
  },
})

route(router, 'GET /v1/notifications/unread-count', 'countUnread', {
  summary: 'Count the caller’s unread notifications',
  description: 'A socket reports each change of the count.',
  answers: { 200: [schema.UnreadCount, 'The number of unread notifications', 'X-Inbox-Seq'] },
  handle: async (ctx) => {
    const { unread, seq } = await readInbox(ctx, async (inbox, announced) => inbox.counts(announced))
    return new Reply(200, { count: unread }, { 'X-Inbox-Seq': String(seq) })
  },
})

route(router, 'POST /v1/notifications/read', 'markNotificationsRead', {
  summary: 'Mark some or all notifications as read',
  description: 'Without ids, all are marked.',
  optionalBody: schema.ReadNotifications,
  answers: { 200: [schema.MarkedCount, 'The number of notifications that were unread'] },
  handle: async (ctx, { body }) => ({ marked_count: await markRead(ctx, body.notification_ids) }),
})

route(router, 'POST /v1/notifications/delete', 'deleteNotifications', {
  summary: 'Delete some or all notifications permanently',
  description:
    'Exactly one of `notification_ids`, `state` and `all`. The notifications disappear on all devices.',
  body: schema.DeleteNotifications,
  answers: { 200: [schema.DeletedCount, 'The number of notifications that were there'] },
  handle: async (ctx, { body }) => ({ deleted_count: await deleteNotifications(ctx, body) }),
})

route(router, 'DELETE /v1/notifications/{id}', 'deleteNotification', {
  summary: 'Delete a notification permanently',
  description: 'The notification disappears on all devices.',
  params: schema.NotificationId,
  answers: { 204: 'The notification is deleted' },
  errors: ['NOTIFICATION_NOT_FOUND'],
  handle: (ctx, { params }) => deleteNotification(ctx, params.id),
})

route(router, 'POST /v1/notifications', 'publishNotification', {
  summary: 'Publish a notification to a user’s inbox',
  description:
    'For the studio’s own services. An Idempotency-Key belongs to one publisher and one recipient; a repetition gets the notification of the first request.',
  tag: 'Operators',
  scope: 'notifications:publish',
  audit: false,
  headers: IdempotencyKeyHeader,
  body: schema.PublishNotification,
  answers: { 201: [schema.Notification, 'The notification'] },
  errors: ['IDEMPOTENCY_KEY_REUSED', 'MUTED_BY_USER'],
  handle: async (ctx, { body }, c) =>
    created(await publishNotification(ctx, body, await idempotencyKey(c, keyedPart(body)))),
})

route(router, 'POST /v1/notifications/batch', 'publishNotifications', {
  summary: 'Publish a notification to up to 100 users',
  description:
    'For the studio’s own services. Each recipient has an outcome of their own. An Idempotency-Key holds for each recipient, and is the same key as that of a single publication: after a failure, repeat the request with it.',
  tag: 'Operators',
  scope: 'notifications:publish',
  audit: false,
  headers: IdempotencyKeyHeader,
  body: schema.PublishBatch,
  answers: { 200: [schema.BatchResults, 'The outcome for each user'] },
  handle: async (ctx, { body }, c) => {
    const { user_ids, ...message } = body
    const inputs = user_ids.map((user_id) => ({ user_id, ...message }))
    const outcomes = await publishBatch(ctx, inputs, (input) =>
      idempotencyKey(c, keyedPart(input), '/v1/notifications'),
    )
    return { results: outcomes.map(batchResult) }
  },
})

route(router, 'GET /v1/notifications/ws', 'openSocket', {
  summary: 'Open a WebSocket that reports every change to the caller’s inbox',
  description:
    'The token comes in `Authorization`, or, for browsers, as subprotocols `notifications.v1, bearer.TOKEN`. The first message is `ready`.',
  onBehalf: 'never',
  query: schema.ConnectSocket,
  answers: { 101: { description: 'The socket' } },
  errors: ['UPGRADE_REQUIRED'],
  handle: async (ctx, { query }, c) => {
    const response = await connect(ctx, {
      method: c.req.method,
      upgrade: c.req.header('Upgrade'),
      offered: c.req.header('Sec-WebSocket-Protocol'),
      after: query.after,
      expires_at: c.get('caller').expires_at,
    })
    // Hono's context would build a new response without the socket.
    const socket = new Response(null, response)
    socket.headers.set('X-Request-Id', c.get('requestId'))
    socket.headers.set('Cache-Control', 'no-store')
    return socket
  },
})
