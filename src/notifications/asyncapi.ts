import { z } from '@hono/zod-openapi'
import { InboxEvent, Ready } from './schema.ts'

/** Every message that the socket sends, by its type, from the schemas that build and check them. */
const messages = Object.fromEntries(
  [Ready, ...InboxEvent.options].map((schema) => [schema.shape.type.value, schema]),
)

const titles: Record<string, string> = {
  ready: 'The first message: where this socket goes on',
  notification: 'A notification has come',
  notifications_read: 'Notifications have been read',
  notification_deleted: 'A notification is gone: deleted, too old, or one too many',
}

/** The description of the socket (AsyncAPI 3.0), served at /asyncapi.json. */
export function describeSocket() {
  const names = Object.keys(messages)
  const refer = (path: string) => names.map((name) => ({ $ref: `${path}/${name}` }))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Edge game storage: notifications',
      version: '1',
      description:
        'One socket a device. Each change to the inbox has the next `seq`; connect with `after` to go on where another socket broke off. Send the text `ping` for a `pong`; any other message closes the socket. Close codes: 1008 (a message that is not taken), 1009 (over 1 KiB; after more than 1 MiB in a minute, the user’s next sockets are refused for a minute: 429 with `Retry-After`), 4401 (the token has expired), 4410 (the user has been erased), 4429 (a 33rd socket took its place).',
    },
    channels: {
      notifications: {
        address: '/v1/notifications/ws',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              properties: {
                after: { type: 'integer', minimum: 0, description: 'The last seq that was seen' },
              },
            },
          },
        },
      },
    },
    operations: {
      receiveChanges: {
        action: 'receive',
        channel: { $ref: '#/channels/notifications' },
        summary: 'What a client hears',
        messages: refer('#/channels/notifications/messages'),
      },
    },
    components: {
      messages: Object.fromEntries(
        names.map((name) => [
          name,
          {
            name,
            title: titles[name],
            contentType: 'application/json',
            payload: { $ref: `#/components/schemas/${name}` },
          },
        ]),
      ),
      schemas: Object.fromEntries(
        Object.entries(messages).map(([name, schema]) => {
          const { $schema, ...described } = z.toJSONSchema(schema, { unrepresentable: 'any' })
          return [name, described]
        }),
      ),
    },
  }
}
