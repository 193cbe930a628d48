import { type Schema, Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { socketDescription } from '../support/exposed.ts'
import { origin, service } from '../support/service.ts'

interface Description {
  asyncapi: string
  channels: { notifications: { address: string; messages: Record<string, unknown> } }
  operations: {
    receiveChanges: { messages: { $ref: string }[] }
    ping: { reply: { messages: { $ref: string }[] } }
  }
  components: {
    messages: Record<string, { payload: object; examples?: { payload: unknown }[] }>
    schemas: Record<string, Schema>
    securitySchemes: object
  }
  servers: Record<string, { protocol: string; security: { $ref: string }[] }>
}

const read = async () => (await service(new Request(`${origin}/asyncapi.json`))).json<Description>()

const id = '019a7e2c-6f7a-7000-8d3c-2b9f4e1a5c60'
const notification = {
  id,
  type: 'friend_request',
  data: { from_user_id: 7, from_display_name: 'Bob' },
  state: 'unread',
  created_at: 1_795_257_600,
}
const examples: Record<string, unknown> = {
  ready: { recovered: true },
  notification,
  notifications_read: { notification_ids: [id] },
  notification_deleted: { notification_id: id },
  notifications_deleted: { notification_ids: [id] },
}

describe('GET /asyncapi.json', () => {
  it('is what the tests of the sockets check every message against', async () => {
    expect(await read()).toEqual(JSON.parse(JSON.stringify(socketDescription)))
  })

  it('describes the socket’s address and its changes, the signal, ping and pong, without a token', async () => {
    const { asyncapi, channels, components, operations } = await read()
    expect(asyncapi).toBe('3.1.0')
    expect(channels.notifications.address).toBe('/v1/notifications/ws')
    const names = [...Object.keys(examples), 'signal']
    expect(Object.keys(channels.notifications.messages)).toEqual([...names, 'ping', 'pong'])
    expect(Object.keys(components.messages)).toEqual([...names, 'ping', 'pong'])
    expect([components.messages.ping, components.messages.pong]).toMatchObject([
      { contentType: 'text/plain', payload: { const: 'ping' } },
      { contentType: 'text/plain', payload: { const: 'pong' } },
    ])
    expect(operations.ping.reply.messages).toEqual([{ $ref: '#/channels/notifications/messages/pong' }])
    expect(operations.receiveChanges.messages).toEqual(
      names.map((name) => ({ $ref: `#/channels/notifications/messages/${name}` })),
    )
  })

  it('says where it is served, and that a token comes in a header or as a subprotocol', async () => {
    const { servers, components } = await read()
    expect(Object.values(servers).map(({ protocol }) => protocol)).toEqual(['wss', 'ws'])
    const schemes = Object.keys(components.securitySchemes).map((name) => ({
      $ref: `#/components/securitySchemes/${name}`,
    }))
    expect(schemes).toHaveLength(2)
    for (const { security } of Object.values(servers)) expect(security).toEqual(schemes)
  })

  it('has an example of each change, which its schema takes', async () => {
    const { components } = await read()
    for (const [name, schema] of Object.entries(components.schemas)) {
      const [example] = components.messages[name]?.examples ?? []
      expect(new Validator(schema, '2020-12').validate(example?.payload).errors, name).toEqual([])
    }
  })

  it.each(Object.entries(examples))(
    'takes a %s as it is sent, and not one without its seq',
    async (type, data) => {
      const { components } = await read()
      const schema = components.schemas[type]
      if (!schema) throw new Error('not described')
      const validator = new Validator(schema, '2020-12')
      expect(validator.validate({ type, seq: 3, unread: 1, data }).errors).toEqual([])
      expect(validator.validate({ type, unread: 1, data }).valid).toBe(false)
      expect(validator.validate({ type: 'other', seq: 3, unread: 1, data }).valid).toBe(false)
      expect(validator.validate({ type, seq: 3, unread: 1, data: {} }).valid).toBe(false)
    },
  )
})
