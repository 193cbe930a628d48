/** Notifications of the game's own types: a gift to two players, a signal, an announcement to all, and deleting what is read. */
import type { Device } from './device.ts'
import type { User } from './user.ts'

/** How a step and its facts are shown. */
export interface Output {
  step: (title: string) => void
  fact: (name: string, value: string) => void
}

/** Shows nothing. */
export const silent: Output = { step: () => {}, fact: () => {} }

const GIFT = 'shop.gift'
const ONLINE = 'friend.online'
const MAINTENANCE = 'studio.maintenance'
const MAINTENANCE_SECONDS = 1_800

/**
 * Gives two players a gift in one request, sends the first of them a signal, and deletes what they have read. `phone` is a
 * device of the first player.
 *
 * @throws Error when an inbox has something else
 */
export async function giveGifts(
  players: readonly [User, User],
  shop: User,
  phone: Device,
  { step, fact }: Output,
): Promise<void> {
  const [player] = players
  const before = await phone.reach(0)
  await phone.connect()
  step('As the shop: give two players a gift in one request, with a type of the game’s own')
  const gift = { type: GIFT, data: { gift_id: 'golden-sword' } } as const
  const user_ids = players.map(({ id }) => id)
  const { results } = await shop.studio.notifications.publishToMany({ user_ids, ...gift })
  for (const { user_id, notification_id, code } of results)
    if (notification_id === undefined) throw new Error(`The gift to ${user_id} was refused: ${code}.`)
  const { notifications } = await phone.reach(before.seq + 1)
  if (notifications[0]?.type !== GIFT) throw new Error('The gift has not arrived.')
  fact('phone', `${GIFT} ${JSON.stringify(notifications[0].data)}`)

  step('Send a signal: open sockets get it, and nothing keeps it')
  await shop.studio.notifications.publish({
    user_id: player.id,
    type: ONLINE,
    data: { name: 'Grace' },
    persistent: false,
  })
  const { type, data } = await phone.signal()
  fact('phone', `${type} ${JSON.stringify(data)}`)
  const kept = await player.client.inbox.list({ type: ONLINE }).page()
  if (kept.notifications.length > 0 || kept.seq !== before.seq + 1) throw new Error('The signal was kept.')

  step('Read the gift, and delete everything that is read: one request')
  await phone.inbox.markRead({ notification_ids: [notifications[0].id] })
  const { deleted_count } = await player.client.inbox.deleteMany({ state: 'read' })
  const { total } = await phone.reach(before.seq + 3)
  fact('deleted', `${deleted_count} notifications; ${total} unread stay`)
  if (total !== before.unread) throw new Error('The wrong notifications were deleted.')
}

/**
 * Announces to all players, and ends the announcement. The player's inbox takes it in, and loses it. `phone` is a device of
 * the player.
 *
 * @throws Error when the inbox has something else
 */
export async function announce(
  { client }: User,
  studio: User,
  phone: Device,
  { step, fact }: Output,
): Promise<void> {
  const before = await phone.reach(0)
  const isShown = async () => {
    const { total } = await client.inbox.list({ type: MAINTENANCE, limit: 1 }).page()
    return total > before.total
  }
  step('As the studio: announce maintenance to all players; the inbox takes it in when it is next asked')
  const { id } = await studio.studio.announcements.publish({
    type: MAINTENANCE,
    data: { minutes: 30 },
    expires_at: Math.floor(Date.now() / 1_000) + MAINTENANCE_SECONDS,
  })
  try {
    if (!(await isShown())) throw new Error('The inbox has not taken the announcement in.')
    await phone.reach(before.seq + 1)
    fact('phone', `${MAINTENANCE}, at seq ${before.seq + 1}`)
  } finally {
    step('End it: it goes from the inbox, too')
    await studio.studio.announcements.delete({ id })
  }
  if (await isShown()) throw new Error('The announcement has ended, and the inbox still has it.')
  const { seq, total } = await phone.reach(before.seq + 2)
  fact('phone', `${total} notifications, at seq ${seq}`)
}
