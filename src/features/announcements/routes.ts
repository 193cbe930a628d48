import { concerns } from '../../platform/http/audited.ts'
import { PageQuery } from '../../platform/http/fields.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { created, Router, route } from '../../platform/http/route.ts'
import { deleteAnnouncement, listAnnouncements, publishAnnouncement } from './publish.ts'
import { announcementRecord } from './row.ts'
import * as schema from './schema.ts'

/** Announcements to all users (docs/conformance.md#announcements). */
export const router = new Router('Announcements', requestContext)

route(router, 'POST /v1/announcements', 'publishAnnouncement', {
  summary: 'Announce to all users',
  description:
    'Every inbox takes the announcement in, as a notification, when its user next lists, counts or connects: within a minute everywhere. An Idempotency-Key holds as long as the announcement is in force.',
  scope: 'announcements:publish',
  idempotent: true,
  body: schema.PublishAnnouncement,
  answers: { 201: [schema.Announcement, 'The announcement'] },
  errors: ['LIMIT_REACHED'],
  handle: async (ctx, { body, key }, c) => {
    const row = await publishAnnouncement(ctx, body, key)
    concerns(c, null, row.id)
    return created(announcementRecord(row))
  },
})

route(router, 'GET /v1/announcements', 'listAnnouncements', {
  summary: 'List the announcements that are in force, newest first',
  scope: 'announcements:publish',
  query: PageQuery,
  answers: { 200: [schema.AnnouncementPage, 'A page of announcements'] },
  handle: async (ctx, { query }) => {
    const { rows, next_cursor } = await listAnnouncements(ctx, query)
    return { announcements: rows.map(announcementRecord), next_cursor }
  },
})

route(router, 'DELETE /v1/announcements/{id}', 'deleteAnnouncement', {
  summary: 'End an announcement',
  description: 'It goes from each inbox when its user next lists, counts or connects.',
  scope: 'announcements:publish',
  params: schema.AnnouncementId,
  answers: { 204: 'The announcement has ended' },
  errors: ['ANNOUNCEMENT_NOT_FOUND'],
  handle: (ctx, { params }) => deleteAnnouncement(ctx, params.id),
})
