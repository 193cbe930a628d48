import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command } from './act.ts'
import { aPlayer } from './choose.ts'
import { type Inbox, inboxOf, unreadIn } from './state.ts'

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
      const response = await service.connect(user, after)
      const socket = response.webSocket
      const answer: Answer = { status: response.status, headers: response.headers, body: [], text: '' }
      if (!socket) return answer
      return { ...answer, body: await heard(socket) }
    },
    judge: (world, answer) => {
      const inbox = inboxOf(world, user)
      const missed = after === undefined ? undefined : since(inbox, after)
      const ready = missed
        ? { type: 'ready', seq: after, unread: missed.unread, data: { recovered: true } }
        : { type: 'ready', seq: inbox.seq, unread: unreadIn(inbox), data: { recovered: false } }
      agrees(answer, 101, [ready, ...(missed?.events ?? [])])
    },
  }
}

/** What came after a seq, and how many were unread at it; undefined when the inbox no longer knows, or not yet. */
function since(inbox: Inbox, after: number) {
  const { base, events, seq } = inbox
  if (after > seq || after < base.seq) return undefined
  const before = events.find((event) => event.seq === after)?.unread ?? base.unread
  return { unread: before, events: events.filter((event) => event.seq > after) }
}

/** Everything that a socket says before it answers a ping. */
function heard(socket: WebSocket): Promise<unknown[]> {
  return new Promise((resolve) => {
    const messages: unknown[] = []
    socket.addEventListener('message', ({ data }) => {
      if (data !== 'pong') messages.push(JSON.parse(String(data)))
      else {
        socket.close(1000)
        resolve(messages)
      }
    })
    socket.accept()
    socket.send('ping')
  })
}
