import { createRoute } from '@hono/zod-openapi'
import { jsonBody } from '../../platform/http/body.ts'
import {
  createRouter,
  errorResponses,
  errorResponsesWithBody,
  json,
  jsonRequest,
  operatorRoute,
} from '../../platform/http/openapi.ts'
import { requestContext } from '../../platform/http/request-context.ts'
import { readOverview } from './overview.ts'
import { discardEvents, resendEvents } from './resend.ts'
import * as schema from './schema.ts'

/** The endpoints of `npm run events` (docs/event-delivery.md), mounted at /v1/events. */
export const events = createRouter()

const operator = operatorRoute('events:manage', 'Events')
const requiresScope = 'Requires a token with the scope `events:manage`.'

const listEvents = createRoute({
  method: 'get',
  path: '/',
  operationId: 'listUndeliveredEvents',
  summary: 'List the undelivered events',
  description: `Returns waiting and parked events of each database, and their counts. ${requiresScope}`,
  ...operator,
  request: { query: schema.ListEvents },
  responses: { 200: json(schema.EventsOverview, 'The undelivered events'), ...errorResponses('FORBIDDEN') },
})
events.openapi(listEvents, async (c) =>
  c.json({ ...(await readOverview(requestContext(c), c.req.valid('query').limit)) }, 200),
)

const postResend = createRoute({
  method: 'post',
  path: '/resend',
  operationId: 'resendEvents',
  summary: 'Send events again',
  description: `Resets the attempts of one waiting or parked event, or of up to 500 parked events of each database. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.NamedEvents) },
  responses: {
    200: json(schema.ChangedEvents, 'How many events were changed'),
    ...errorResponsesWithBody('FORBIDDEN'),
  },
})
events.openapi(postResend, async (c) =>
  c.json(await resendEvents({ ...requestContext(c), queue: c.env.EVENTS }, c.req.valid('json')), 200),
)

const postDiscard = createRoute({
  method: 'post',
  path: '/discard',
  operationId: 'discardEvents',
  summary: 'Delete parked events permanently',
  description: `Deletes one parked event, or up to 500 of each database. ${requiresScope}`,
  ...operator,
  middleware: [operator.middleware, jsonBody],
  request: { body: jsonRequest(schema.NamedEvents) },
  responses: {
    200: json(schema.ChangedEvents, 'How many events were changed'),
    ...errorResponsesWithBody('FORBIDDEN'),
  },
})
events.openapi(postDiscard, async (c) =>
  c.json(await discardEvents({ ...requestContext(c), queue: c.env.EVENTS }, c.req.valid('json')), 200),
)
