import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import type { Act, Command, Service } from './act.ts'
import { deleteAnnouncement, publishAnnouncement } from './announcements.ts'
import { aPlayer } from './choose.ts'
import * as notifications from './notifications.ts'
import { type Inbox, inboxOf, unreadIn, type World } from './state.ts'
import { look, meet, tells } from './taking-in.ts'

export const openSocket: Command = {
  operation: 'openSocket',
  writes: false,
  draw: (world, draw) => {
    const user = aPlayer(world, draw)
    const { seq } = inboxOf(world, user)
    return listens(user, draw.chance(80) ? Math.max(0, seq + 1 - draw.below(8)) : undefined)
  },
}

/** Opens a socket, hears what it is told at once, and closes it. */
export function listens(user: string, after: number | undefined): Act {
  return {
    says: `${user} listens after ${after}`,
    send: async (service) => {
      const { answer, device } = await opened(service, user, after)
      return { ...answer, body: (await device?.heard()) ?? [] }
    },
    judge: (world, answer) => tells(world, user, answer, 101, opens(world, user, after)),
  }
}

/** A user opens a socket. Returns what it has said: how it began, and every event since. */
function opens(world: World, user: string, after: number | undefined): (inbox: Inbox) => unknown[] {
  const passOn = look(world, user)
  const inbox = inboxOf(world, user)
  const { seq } = inbox
  const before = after === undefined ? undefined : unreadAt(inbox, after)
  const [from, unread] = before === undefined ? [seq, unreadIn(inbox)] : [after ?? seq, before]
  const ready = { type: 'ready', seq: from, unread, data: { recovered: before !== undefined } }
  passOn()
  return ({ events }) => [ready, ...events.filter((event) => event.seq > from)]
}

/** How many were unread at a seq; undefined when the inbox no longer knows, or not yet. */
function unreadAt({ base, events, seq }: Inbox, after: number): number | undefined {
  if (after > seq || after < base.seq) return undefined
  return events.find((event) => event.seq === after)?.unread ?? base.unread
}

/** What devices hear of. */
const heard: Command[] = [
  notifications.publishNotification,
  notifications.publishNotification,
  notifications.publishNotifications,
  notifications.publishNotifications,
  notifications.markNotificationsRead,
  notifications.deleteNotification,
  notifications.deleteNotifications,
  notifications.listNotifications,
  notifications.countUnread,
  publishAnnouncement,
  deleteAnnouncement,
]

export const whileListening: Command = {
  operation: 'devices listen',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const act = draw.of(heard)?.draw(world, draw)
    return act && whileAllListen(world.players, act)
  },
}

/** Something is done while each of the users has a socket, which hears of all that changes. */
function whileAllListen(users: string[], act: Act): Act {
  let told: unknown[][] = []
  return {
    ...act,
    says: `while all listen, ${act.says}`,
    send: async (service) => {
      const devices: (Device | undefined)[] = []
      for (const user of users) devices.push((await opened(service, user, undefined)).device)
      const answer = await act.send(service)
      told = []
      for (const device of devices) told.push((await device?.heard()) ?? [])
      return answer
    },
    judge: (world, answer) => {
      const said = users.map((user) => opens(world, user, undefined))
      for (const user of users) inboxOf(world, user).signals = []
      act.judge(world, answer)
      for (const [index, user] of users.entries()) {
        const expected = (inbox: Inbox) => [...(said[index]?.(inbox) ?? []), ...inbox.signals]
        meet(world, user, expected(inboxOf(world, user)), told[index])
        expect(told[index], `what ${user} hears`).toEqual(expected(inboxOf(world, user)))
      }
    },
  }
}

/** Opens a socket. */
async function opened(
  service: Service,
  user: string,
  after: number | undefined,
): Promise<{ answer: Answer; device?: Device }> {
  const response = await service.connect(user, after)
  const answer: Answer = { status: response.status, headers: response.headers, body: [], text: '' }
  return response.webSocket ? { answer, device: new Device(response.webSocket) } : { answer }
}

/** A socket of a user, and what it says. */
class Device {
  readonly #socket: WebSocket
  readonly #messages: unknown[] = []
  readonly #isOver = Promise.withResolvers<unknown[]>()

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      if (data !== 'pong') this.#messages.push(JSON.parse(String(data)))
      else {
        socket.close(1000)
        this.#isOver.resolve(this.#messages)
      }
    })
    socket.accept()
  }

  /** Everything that it says before it answers a ping. Closes it. */
  heard(): Promise<unknown[]> {
    this.#socket.send('ping')
    return this.#isOver.promise
  }
}
