/** Two devices keep the same inbox, although one of them loses its network. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Device, nameIn } from './device.ts'
import { printFact, printStep } from './print.ts'
import { printed, type User } from './user.ts'

/** The users that the notifications name, with the social service's numbers. */
const grace = { from_user_id: 7, from_display_name: 'Grace' }
const linus = { from_user_id: 8, from_display_name: 'Linus' }
const barbara = { from_user_id: 9, from_display_name: 'Barbara' }
const ken = { from_user_id: 10, from_display_name: 'Ken' }

/** The social service publishes. The user reads on one device; the other loses its network and comes back. */
export async function notifyTwoDevices(user: User, social: User): Promise<void> {
  const devices = ['phone', 'desktop'].map((name) => new Device(name, user.origin, user.token, printed))
  const [phone, desktop] = devices
  if (!phone || !desktop) return
  const request = { user_id: user.id, type: 'friend_request' } as const
  try {
    printStep('On two devices of one user: open the inbox')
    // An announcement may be in force.
    const [{ seq }] = await Promise.all([phone.reach(0), desktop.reach(0)])
    await printInboxes(devices, seq)

    printStep('As the social service: publish a friend request; and again, as after a lost answer')
    const key = { idempotencyKey: randomUUID() }
    const first = await social.studio.notifications.publish({ ...request, data: grace }, key)
    const again = await social.studio.notifications.publish({ ...request, data: grace }, key)
    if (!isDeepStrictEqual(first, again)) throw new Error('The repetition was not answered as the first was.')
    printFact('note', 'the same Idempotency-Key: the same answer, and nothing new')
    await printInboxes(devices, seq + 1)

    printStep('As the social service: publish that another request was accepted')
    await social.studio.notifications.publish({ ...request, type: 'friend_accepted', data: linus })
    await printInboxes(devices, seq + 2)

    printStep('Read the first on the phone: the badge of the desktop falls, too')
    await phone.inbox.markRead({ notification_ids: [first.id] })
    await printInboxes(devices, seq + 3)

    printStep('The phone loses its network')
    await phone.goOffline()
    printFact('phone', phone.inbox.state.name)

    printStep(
      'Meanwhile: two more friend requests, the first notification deleted, and all read before the last',
    )
    await social.studio.notifications.publish({ ...request, data: barbara })
    await desktop.inbox.delete({ id: first.id })
    await desktop.inbox.markAllRead()
    await social.studio.notifications.publish({ ...request, data: ken })
    await printInboxes([desktop], seq + 7)

    printStep('The phone is back, and catches up after the last seq that it has seen')
    phone.comeBack()
    await printInboxes([phone], seq + 7)
    printFact('notified', `${phone.notified.join(', ')}: each once, in order`)

    printStep('Compare both devices with the inbox')
    await compare(user, devices)
  } finally {
    for (const { inbox } of devices) inbox.close()
  }
}

/** Waits until the devices show the inbox at `seq`, and prints what they show. */
async function printInboxes(devices: Device[], seq: number): Promise<void> {
  for (const device of devices) {
    const { notifications, unread } = await device.reach(seq)
    printFact(device.name, `${notifications.length} notifications, badge ${unread}, at seq ${seq}`)
  }
}

/** @throws Error when a device shows another state than the inbox has */
async function compare({ client }: User, devices: Device[]): Promise<void> {
  const { notifications, unread, seq } = await client.inbox.list().page()
  for (const notification of notifications)
    printFact('notification', `${notification.type}: ${nameIn(notification)}, ${notification.state}`)
  for (const { name, inbox } of devices) {
    const shown = inbox.snapshot
    const isSame =
      shown?.unread === unread &&
      shown.seq === seq &&
      isDeepStrictEqual([...shown.notifications], notifications)
    if (!isSame) throw new Error(`The ${name} shows other notifications than the inbox has.`)
    printFact(
      'compared',
      `the ${name} shows the same ${notifications.length}, ${unread} unread, at seq ${seq}`,
    )
  }
}
