import { namedIn } from '../../platform/http/audited.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { Router, route } from '../../platform/http/route.ts'
import { readOverview } from './overview.ts'
import { discardEvents, resendEvents } from './resend.ts'
import * as schema from './schema.ts'

/** The endpoints of `npm run events` (docs/events.md). */
export const router = new Router('Events', (c) => ({ ...requestContext(c), queue: c.env.EVENTS }))

route(router, 'GET /v1/events', 'listUndeliveredEvents', {
  summary: 'List the undelivered events',
  description: 'Returns waiting and parked events of each database, and their counts.',
  scope: 'events:manage',
  query: schema.ListEvents,
  answers: { 200: [schema.EventsOverview, 'The undelivered events'] },
  handle: (ctx, { query }) => readOverview(ctx, query.limit),
})

route(router, 'POST /v1/events/resend', 'resendEvents', {
  summary: 'Send events again',
  description:
    'Resets the attempts of one waiting or parked event, or of up to 500 parked events of each database.',
  scope: 'events:manage',
  audit: ({ body }) => namedIn(body),
  body: schema.NamedEvents,
  answers: { 200: [schema.ChangedEvents, 'How many events were changed'] },
  handle: (ctx, { body }) => resendEvents(ctx, body),
})

route(router, 'POST /v1/events/discard', 'discardEvents', {
  summary: 'Delete parked events permanently',
  description: 'Deletes one parked event, or up to 500 of each database.',
  scope: 'events:manage',
  audit: ({ body }) => namedIn(body),
  body: schema.NamedEvents,
  answers: { 200: [schema.ChangedEvents, 'How many events were changed'] },
  handle: (ctx, { body }) => discardEvents(ctx, body),
})
