import { z } from '@hono/zod-openapi'
import { InboxEvent, Ready, Signal } from './messages.ts'

/** The schemas of the messages from the service, by type. The inbox builds messages of these types. */
const changes = Object.fromEntries(
  [Ready, ...InboxEvent.options, Signal].map((schema) => [schema.shape.type.value, schema]),
)

const id = '019a7e3a-5c1f-7000-8d47-2b6e9f0a1c38'
const friendRequest = {
  id,
  type: 'friend_request',
  data: { from_user_id: 7, from_display_name: 'Bob' },
  state: 'unread',
  created_at: 1_795_257_600,
}

const gift = { ...friendRequest, type: 'shop.gift', data: { gift_id: 'golden-sword' } }

/** The title of each message from the service, and the `data` of its example. */
const examples: Record<string, [title: string, data: object]> = {
  ready: ['The first message: the position at which the socket continues', { recovered: true }],
  notification: ['A notification has been added', friendRequest],
  notifications_read: ['Notifications have been read', { notification_ids: [id] }],
  notification_deleted: [
    'A notification has been deleted: by the user, by its age or expiry, with its announcement, or because there were too many',
    { notification_id: id },
  ],
  notifications_deleted: ['Many notifications have been deleted by the user', { notification_ids: [id] }],
  signal: ['A notification that nothing keeps: it is no event of the inbox, and has no seq', gift],
}

/** The titles of the text messages, by their text. */
const texts = {
  ping: 'A sign of life that a client may send at any time',
  pong: 'The answer to a ping',
}

function messageOf(name: string) {
  const [title, data] = examples[name] ?? []
  return {
    name,
    title,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${name}` },
    examples: [{ payload: { type: name, ...(name !== 'signal' && { seq: 42, unread: 3 }), data } }],
  }
}

const textMessages = Object.fromEntries(
  Object.entries(texts).map(([name, title]) => [
    name,
    { name, title, contentType: 'text/plain', payload: { type: 'string', const: name } },
  ]),
)

const channel = { $ref: '#/channels/notifications' }
const messagesOf = (...names: string[]) =>
  names.map((name) => ({ $ref: `#/channels/notifications/messages/${name}` }))

const operations = {
  receiveChanges: {
    action: 'receive',
    channel,
    summary: 'The changes that a client receives',
    description: '`ready` comes first. Each change has the next `seq`, so a gap shows that one is missing.',
    messages: messagesOf(...Object.keys(changes)),
  },
  ping: {
    action: 'send',
    channel,
    summary: 'The one message that a client sends',
    description: 'The platform answers `ping` without waking the inbox. Any other message closes the socket.',
    messages: messagesOf('ping'),
    reply: { channel, messages: messagesOf('pong') },
  },
}

/** The query and the headers of the request that opens a connection. */
const handshake = {
  method: 'GET',
  query: {
    type: 'object',
    properties: {
      after: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'The last seq that the client has seen: the service sends the events after it',
      },
    },
  },
  headers: {
    type: 'object',
    properties: {
      'Sec-WebSocket-Protocol': {
        type: 'string',
        description:
          'The subprotocol is `notifications.v1`; browsers add the token as a second one. Without a subprotocol, the token comes in `Authorization`.',
        examples: ['notifications.v1, bearer.TOKEN'],
      },
    },
  },
}

const components = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The token in `Authorization`',
    },
    subprotocol: {
      type: 'httpApiKey',
      in: 'header',
      name: 'Sec-WebSocket-Protocol',
      description: 'For browsers: `notifications.v1, bearer.TOKEN`. The service selects `notifications.v1`.',
    },
  },
}

const security = ['bearer', 'subprotocol'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }))

/** Gives integers 64 bits: they are positions, counts and times. */
function withFormat({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === 'integer') jsonSchema.format = 'int64'
}

/** The description of the socket (AsyncAPI 3.1), served at /asyncapi.json. */
export function describeSocket() {
  const names = Object.keys(changes)
  const all = [...names, ...Object.keys(texts)]
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Edge game storage: notifications',
      version: '1',
      description:
        'Open one socket for each device; `/openapi.json` describes the requests of the inbox. Each change to the inbox has the next `seq`; connect with `after` to continue where another socket ended. Close codes: 1008 (a message other than `ping`), 1009 (over 1 KiB; after more than 1 MiB in a minute, the user’s next sockets are rejected for a minute: 429 with `Retry-After`), 4401 (the token has expired), 4410 (the user has been erased), 4429 (a 33rd socket has replaced it).',
      contact: { name: 'The operators of this service' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      tags: [{ name: 'Notifications', description: 'A player’s inbox' }],
    },
    defaultContentType: 'application/json',
    servers: {
      deployed: {
        host: '{host}',
        protocol: 'wss',
        description: 'The service that serves this description',
        variables: { host: { description: 'The host of the deployment', examples: ['storage.example.com'] } },
        security,
      },
      development: {
        host: 'localhost:8787',
        protocol: 'ws',
        description: '`npm run dev`',
        security,
      },
    },
    channels: {
      notifications: {
        address: '/v1/notifications/ws',
        description: 'The inbox of the token’s user',
        messages: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { ws: handshake },
      },
    },
    operations,
    components: {
      ...components,
      messages: { ...Object.fromEntries(names.map((name) => [name, messageOf(name)])), ...textMessages },
      schemas: Object.fromEntries(
        Object.entries(changes).map(([name, schema]) => {
          const { $schema: _, ...plain } = z.toJSONSchema(schema, {
            unrepresentable: 'any',
            override: withFormat,
          })
          return [name, plain]
        }),
      ),
    },
  }
}
