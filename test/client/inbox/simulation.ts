import { expect } from 'vitest'
import type { ReadyMessage } from '../../../client/src/inbox/messages.ts'
import type { Notification } from '../../../client/src/inbox/notification.ts'
import { InboxReplica, type PageRequest } from '../../../client/src/inbox/replica.ts'
import { type InboxEvent, type InboxPage, ModelInbox } from './model-inbox.ts'

/** The kinds of changes that a device makes. */
export type OwnKind = 'read' | 'delete' | 'delete many' | 'delete read' | 'delete all'

/** A change that this device has asked for. */
interface OwnChange {
  /** The ids of the notifications that it changes at once. */
  ids: string[]
  isDeletion: boolean
  reach: () => void
  revert: () => void
}

const KEPT_EVENTS = 6

/**
 * A replica of an inbox, with everything that lies between them: messages under way on a socket, a page that has been
 * asked for, changes of this device. After each step, what is shown is what the inbox was at that seq.
 */
export class Simulation {
  readonly inbox = new ModelInbox(KEPT_EVENTS)
  readonly replica: InboxReplica<Notification>
  readonly told: string[] = []
  /** The parts of the inbox's history that a new list has jumped over: after the first seq, up to the second. */
  readonly jumps: [number, number][] = []
  /** The seq of the first page; what is published later is told. */
  firstSeq: number | undefined
  /** The seq of what was shown last. */
  #seq: number | undefined
  #socket: (ReadyMessage | InboxEvent)[] | undefined
  #received: InboxEvent[] = []
  #isReady = false
  #page: { request: PageRequest; answer?: InboxPage } | undefined
  /** Those whose requests are under way. */
  #own: OwnChange[] = []
  /** Those that were made. */
  readonly #made: OwnChange[] = []

  constructor(wanted: number) {
    this.replica = new InboxReplica(wanted)
  }

  /** Changes the inbox, and sends the events to the socket. */
  change(change: (inbox: ModelInbox) => void): void {
    const before = this.inbox.seq
    change(this.inbox)
    this.#socket?.push(...this.inbox.since(before))
  }

  /** The id of one of the inbox's notifications; '' when it has none. */
  pick(index: number): string {
    const { notifications } = this.inbox.now
    return notifications[index % Math.max(1, notifications.length)]?.id ?? ''
  }

  connect(): void {
    if (this.#socket) return
    this.#socket = this.inbox.connect(this.replica.seq)
    this.#received = []
    this.#isReady = false
  }

  cut(): void {
    this.#socket = undefined
  }

  /** Takes the next message of the socket. */
  deliver(): void {
    const message = this.#socket?.shift()
    if (!message) return
    if (message.type === 'ready') {
      this.#isReady = true
      this.replica.ready(message)
    } else {
      this.#received.push(message)
      this.#receive(message)
    }
    this.#offer()
  }

  /** Takes a message of this socket a second time. */
  repeat(index: number): void {
    const message = this.#received[index % Math.max(1, this.#received.length)]
    if (this.#isReady && message) this.#receive(message)
  }

  askForPage(): void {
    if (this.replica.needsPage) this.#page = { request: this.replica.requestPage() }
  }

  /** The inbox answers the request for a page. */
  answerPage(): void {
    const page = this.#page
    if (page && !page.answer) page.answer = this.inbox.page(page.request.limit, page.request.offset)
  }

  /** The answer arrives. */
  takePage(): void {
    this.#offer()
  }

  losePage(): void {
    this.#page = undefined
  }

  /** This device marks one as read, or deletes one or several; the change is shown at once. */
  changeOwn(index: number, kind: OwnKind): void {
    const notifications = this.replica.view?.notifications ?? []
    const idAt = (position: number) => notifications[position % Math.max(1, notifications.length)]?.id
    const one = [idAt(index)].filter((id) => id !== undefined)
    const many = [
      ...new Set([idAt(index), idAt(index + 2), idAt(index + 3)].filter((id) => id !== undefined)),
    ]
    const [ids, reach] = {
      read: [one, (inbox: ModelInbox) => inbox.markRead(one)] as const,
      delete: [one, (inbox: ModelInbox) => inbox.delete(one[0] ?? '')] as const,
      'delete many': [many, (inbox: ModelInbox) => inbox.deleteMany(many)] as const,
      'delete read': [this.replica.confirmedRead, (inbox: ModelInbox) => inbox.deleteRead()] as const,
      'delete all': [
        notifications.map(({ id }) => id),
        (inbox: ModelInbox) => inbox.deleteMany(null),
      ] as const,
    }[kind]
    if (notifications.length === 0) return
    const isDeletion = kind !== 'read'
    const { own } = this.replica
    const revert = isDeletion ? own.delete(ids) : own.read(ids)
    this.#own.push({ ids: [...ids], isDeletion, reach: () => this.change(reach), revert })
    const shown = this.replica.view?.notifications ?? []
    expect(shown.filter(({ id, state }) => ids.includes(id) && (isDeletion || state === 'unread'))).toEqual(
      [],
    )
  }

  /** Such a change is made, is refused, or is made although its answer is lost. */
  settleOwn(outcome: 'made' | 'refused' | 'lost' = 'made'): void {
    const change = this.#own.shift()
    if (!change) return
    if (outcome !== 'refused') change.reach()
    if (outcome === 'made') this.#made.push(change)
    else change.revert()
  }

  /** Everything under way arrives, until nothing more happens. */
  finish(): void {
    while (this.#own.length > 0) this.settleOwn('made')
    for (let step = 0; step < 1_000; step++) {
      const isQuiet = this.#socket?.length === 0 && !this.replica.needsPage
      if (isQuiet) return
      if (!this.replica.isStale) this.connect()
      this.deliver()
      if (!this.#page) this.askForPage()
      this.answerPage()
      this.#offer()
      this.check()
    }
    throw new Error('The replica never came to rest.')
  }

  /** What holds after each step. */
  check(): void {
    this.told.push(...this.replica.takeNew().map(({ id }) => id))
    const { view } = this.replica
    const standing = view && this.inbox.history[view.seq]
    if (!view || !standing) return
    if (this.#seq !== undefined && view.seq > this.#seq + 1) this.jumps.push([this.#seq, view.seq])
    this.#seq = view.seq
    const ahead = [...this.#own, ...this.#made].filter(({ ids, isDeletion }) =>
      standing.notifications.some((one) => ids.includes(one.id) && (isDeletion || one.state === 'unread')),
    )
    const isUnread = ({ state }: { state: string }) => state === 'unread'
    expect(view.notifications.filter(isUnread).length).toBeLessThanOrEqual(view.unread)
    if (ahead.length > 0) return
    expect(view.notifications).toEqual(standing.notifications.slice(0, view.notifications.length))
    expect({ unread: view.unread, total: view.total }).toEqual({
      unread: standing.unread,
      total: standing.total,
    })
  }

  #receive(message: InboxEvent): void {
    // The application drops a socket that has left something out.
    if (!this.replica.receive(message)) this.cut()
  }

  #offer(): void {
    if (!this.#page?.answer) return
    const { request, answer } = this.#page
    const outcome = this.replica.acceptPage(request, answer)
    if (outcome === 'added') this.firstSeq ??= answer.seq
    if (outcome !== 'ahead') this.#page = undefined
  }
}
