/** Two devices keep the same inbox, although one of them loses its connection. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Inbox, Marked, Notification } from './answers.ts'
import { nothing, printFact, printStep, send, type User } from './client.ts'
import { printArrivals } from './columns.ts'
import { Device } from './device.ts'
import { Tunnel } from './tunnel.ts'

/** The users that the notifications name, with the social service's numbers. */
const grace = { from_user_id: 7, from_display_name: 'Grace' }
const linus = { from_user_id: 8, from_display_name: 'Linus' }
const barbara = { from_user_id: 9, from_display_name: 'Barbara' }
const ken = { from_user_id: 10, from_display_name: 'Ken' }

/** The social service publishes. The user reads on one device; the other loses its connection and reconnects. */
export async function notifyTwoDevices(user: User, social: User): Promise<void> {
  const phone = new Device('phone', user)
  const desktop = new Device('desktop', user)
  const both = [phone, desktop]
  const tunnel = await Tunnel.to(user.origin)
  try {
    printStep('On two devices of one user: list the inbox, and open a socket that goes on from there')
    for (const device of both) {
      await device.list()
      await device.connect(device === phone ? tunnel.origin : undefined)
    }
    await printArrivals(both, both)

    printStep('As the social service: publish a friend request; and again, as after a lost answer')
    const key = randomUUID()
    const first = await publish(social, user, 'friend_request', grace, key)
    const again = await publish(social, user, 'friend_request', grace, key)
    if (!isDeepStrictEqual(first, again)) throw new Error('The repetition was not answered as the first was.')
    printFact('note', 'the same Idempotency-Key: the same answer, and nothing new')
    await printArrivals(both, both)

    printStep('As the social service: publish that another request was accepted')
    await publish(social, user, 'friend_accepted', linus)
    await printArrivals(both, both)

    printStep('Read the first on the phone: the badge falls on the desktop, too')
    await read(user, { notification_ids: [first.id] })
    await printArrivals(both, both)

    printStep('The phone goes into a tunnel: its connection breaks off')
    tunnel.cut()
    printFact('phone', `closed with ${await phone.closed()}`)

    printStep('Meanwhile: two more friend requests, the first notification deleted, and all read')
    await publish(social, user, 'friend_request', barbara)
    await send(user, 'DELETE', `/v1/notifications/${first.id}`, nothing)
    await read(user)
    await publish(social, user, 'friend_request', ken)
    await printArrivals(both, [desktop], 4)

    printStep('The phone is back, and goes on after the last seq that it has seen')
    await phone.connect()
    await printArrivals(both, [phone], 5)

    printStep('Compare both devices with the inbox')
    await compare(user, both)
  } finally {
    tunnel.cut()
    for (const device of both) device.disconnect()
  }
}

async function publish(
  social: User,
  { id }: User,
  type: string,
  data: Notification['data'],
  key: string = randomUUID(),
): Promise<Notification> {
  const { body } = await send(social, 'POST', '/v1/notifications', Notification, {
    json: { user_id: id, type, data },
    headers: { 'Idempotency-Key': key },
  })
  return body
}

async function read(user: User, json?: { notification_ids: string[] }): Promise<void> {
  const { body } = await send(user, 'POST', '/v1/notifications/read', Marked, json && { json })
  printFact('marked', String(body.marked_count))
}

/** @throws Error when a device's copy differs from the inbox */
async function compare(user: User, devices: Device[]): Promise<void> {
  const { headers, body } = await send(user, 'GET', '/v1/notifications', Inbox)
  for (const { type, data, state } of body.notifications)
    printFact('notification', `${type}: ${data.from_display_name}, ${state}`)
  const seq = Number(headers.get('X-Inbox-Seq'))
  const { notifications, unread } = body
  for (const { name, shown } of devices) {
    if (!isDeepStrictEqual(shown, { notifications, unread, seq }))
      throw new Error(`The ${name} shows something else than the inbox holds.`)
    printFact(
      'compared',
      `the ${name} shows the same ${notifications.length}, ${unread} unread, at seq ${seq}`,
    )
  }
}
