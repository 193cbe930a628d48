import { z } from '@hono/zod-openapi'
import { InboxEvent, Ready } from './schema.ts'

/** Every message that the socket sends, by its type, from the schemas that build and check them. */
const messages = Object.fromEntries(
  [Ready, ...InboxEvent.options].map((schema) => [schema.shape.type.value, schema]),
)

const titles: Record<string, string> = {
  ready: 'The first message: the position at which the socket continues',
  notification: 'A notification has been added',
  notifications_read: 'Notifications have been read',
  notification_deleted:
    'A notification has been deleted: by the user, by its age, or because there were too many',
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
        'Open one socket for each device. Each change to the inbox has the next `seq`; connect with `after` to continue where another socket ended. Send the text `ping` for a `pong`; any other message closes the socket. Close codes: 1008 (an unsupported message), 1009 (over 1 KiB; after more than 1 MiB in a minute, the user’s next sockets are rejected for a minute: 429 with `Retry-After`), 4401 (the token has expired), 4410 (the user has been erased), 4429 (a 33rd socket has replaced it).',
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
                after: { type: 'integer', minimum: 0, description: 'The last seq that the client has seen' },
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
        summary: 'The messages that a client receives',
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
