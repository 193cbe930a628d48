/** What the scenario of the inbox does with the TypeScript client. test/csharp/programs/InboxScenario.cs does the same. */
import { createClient, type Inbox, ServiceError } from '#client'
import { createStudio } from '#client/studio'
import type { Player } from './scenarios.ts'

/** A player who gets notifications of a service. */
export interface Recipient extends Player {
  user: string
  /** A token of a service that publishes. */
  social: string
}

/** Uses an inbox, and returns what it has shown. */
export async function useInbox({ url, token, expired, user, social }: Recipient): Promise<string> {
  const service = createStudio({ baseUrl: url, token: social })
  const second = createClient({ baseUrl: url, token })
  const seen: string[] = []
  const publish = (type: `shop.${string}`, number: number, persistent = true) =>
    service.notifications.publish({ user_id: user, type, data: { number }, persistent })
  for (const number of [1, 2, 3]) await publish('shop.gift', number)

  const inbox = createClient({ baseUrl: url, token }).inbox.open({ limit: 2 })
  inbox.on('notification', ({ type, data }) => seen.push(`told ${type} ${JSON.stringify(data)}`))
  inbox.on('signal', ({ type, data }) => seen.push(`signal ${type} ${JSON.stringify(data)}`))
  const note = (what: string) => seen.push(`${what}: ${viewOf(inbox)}`)
  await inbox.ready()
  note('the newest two')
  await inbox.loadMore()
  note('all')
  await until(inbox, () => inbox.state.name === 'connected')

  const data = { from_user_id: 7, from_display_name: 'Grace' }
  await service.notifications.publish({ user_id: user, type: 'friend_request', data, region: 'oc' })
  await publish('shop.turn', 4, false)
  await service.notifications.publishToMany({
    user_ids: [user, 'bob'],
    type: 'shop.gift',
    data: { number: 5 },
    region: 'weur',
  })
  await until(inbox, () => seen.length === 5)
  note('five, and a signal')

  const ids = inbox.snapshot?.notifications.map(({ id }) => id) ?? []
  const [fifth = '', fourth = '', third = '', second_id = '', first = ''] = ids
  await second.inbox.markRead({ notification_ids: [first] })
  await until(inbox, () => inbox.snapshot?.seq === 6)
  await inbox.markRead({ notification_ids: [fifth, fourth] })
  await until(inbox, () => inbox.snapshot?.seq === 7)
  note('three are read')
  await inbox.delete({ id: third })
  await until(inbox, () => inbox.snapshot?.seq === 8)
  await inbox.delete({ id: third })
  await second.inbox.deleteMany({ notification_ids: [first, second_id] })
  await until(inbox, () => inbox.snapshot?.seq === 9)
  note('two are left')
  await publish('shop.gift', 6)
  await until(inbox, () => inbox.snapshot?.seq === 10)
  await inbox.deleteRead()
  await until(inbox, () => inbox.snapshot?.seq === 11)
  note('the new one is left')
  await inbox.deleteMany({ notification_ids: [] })
  await inbox.markAllRead()
  await publish('shop.gift', 7)
  await until(inbox, () => inbox.snapshot?.seq === 13)
  note('one is read')
  inbox.close()
  seen.push(inbox.state.name)

  const refused = createClient({ baseUrl: url, token: expired }).inbox.open()
  await refused.ready().catch((error) => {
    if (error instanceof ServiceError) seen.push(error.code)
  })
  return seen.join('\n')
}

function viewOf({ snapshot }: Inbox): string {
  if (!snapshot) return 'nothing'
  const { notifications, unread, total, has_more, seq } = snapshot
  const list = notifications.map(({ type, data, state }) => `${type} ${JSON.stringify(data)} ${state}`)
  return `${unread} of ${total} at ${seq}${has_more ? ', and more' : ''}: ${list.join(', ')}`
}

/** Waits until something holds, which is asked at each event of an inbox. */
function until(inbox: Inbox, isReached: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isReached()) return
      for (const stop of stops) stop()
      resolve()
    }
    const names = ['change', 'notification', 'signal', 'state'] as const
    const stops = names.map((name) => inbox.on(name, check))
    check()
  })
}
