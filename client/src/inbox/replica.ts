import type { InboxEvent, InboxPage, Notification, ReadyMessage, UnknownEvent } from './messages.ts'
import { OwnChanges } from './own-changes.ts'
import { applyEvent, extendView, type InboxView } from './view.ts'

/** The most notifications that the service puts into a page. */
const MAX_PAGE = 100
/** The fewest that are asked for behind others, so that not every deletion is followed by a request. */
const MIN_PAGE = 10

/** A page that is to be asked for. Only the latest one is accepted. */
export interface PageRequest {
  readonly offset: number
  readonly limit: number
}

/** A list that is being read again. It takes the place of the old one when it reaches it. */
interface Relisting {
  /** The ids of the old list, and the highest id that was known: a notification beyond these is new. */
  readonly known: ReadonlySet<string>
  readonly highest: string
  /** Whether a page has reached what the old list had. */
  isJoined: boolean
  /** New ones that pages had, newest first. */
  readonly fresh: Notification[]
  /** New ones that events brought since, oldest first. */
  readonly later: Notification[]
}

/**
 * A copy of an inbox, made of pages and events. It knows no network: whoever has one calls it. At any time it shows a state
 * that the inbox had, and tells of each notification once, in the order of the inbox.
 */
export class InboxReplica {
  readonly own = new OwnChanges()
  /** What is shown; undefined before the first list. */
  #shown: InboxView | undefined
  /** What pages and events are applied to. It is shown unless a list is being read again. */
  #current: InboxView | undefined
  #relisting: Relisting | undefined
  #isStale = true
  #request: { readonly request: PageRequest; readonly base: InboxView | undefined } | undefined
  /** The events since the page was asked for. */
  #events: (InboxEvent | UnknownEvent)[] = []
  #told: Notification[] = []
  /** The highest id of all that were shown or told, deleted ones included. */
  #highest = ''
  #wanted: number

  /** `wanted` is how many of the newest notifications are listed. */
  constructor(wanted: number) {
    this.#wanted = wanted
  }

  /** Whether the list has to be read from its beginning. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** The seq after which a socket continues; undefined when the list has to be read first. */
  get seq(): number | undefined {
    return this.#isStale ? undefined : this.#current?.seq
  }

  /** What is shown, with the changes of this device that are under way; undefined before the first list. */
  get view(): InboxView | undefined {
    return this.#shown && this.own.over(this.#shown)
  }

  /** Whether what is shown is the latest that is known: not while the list is read again. */
  get isComplete(): boolean {
    return !this.#isStale && this.#shown === this.#current
  }

  /** Whether a page is needed, to read the list again or to have as many notifications as wanted. */
  get needsPage(): boolean {
    if (this.#isStale || !this.#current) return true
    const { notifications, total } = this.#current
    if (notifications.length >= total) return false
    return notifications.length < this.#wanted || this.#relisting?.isJoined === false
  }

  /** Asks for this many notifications more than there are. */
  wantMore(count: number): void {
    this.#wanted = Math.max(this.#wanted, (this.#current?.notifications.length ?? 0) + count)
  }

  /** The notifications that are new since the last call, oldest first. */
  takeTold(): Notification[] {
    const told = this.#told
    this.#told = []
    return told
  }

  /** The first message of a socket that continues after `seq`. */
  ready({ data, seq }: Pick<ReadyMessage, 'data' | 'seq'>): void {
    if (data.recovered && seq === this.seq) return
    this.#isStale = true
    this.#request = undefined
    this.#events = []
  }

  /** Applies an event. Returns false when one is missing before it: the socket is then of no use any more. */
  receive(event: InboxEvent | UnknownEvent): boolean {
    if (this.#isStale) {
      this.#events.push(event)
      return true
    }
    if (!this.#current || event.seq <= this.#current.seq) return true
    if (event.seq !== this.#current.seq + 1) return false
    if (this.#request) this.#events.push(event)
    this.#show(this.#applied(this.#current, event))
    return true
  }

  /** The next page to ask for. An earlier request is given up. */
  requestPage(): PageRequest {
    const base = this.#isStale ? undefined : this.#current
    const offset = base?.notifications.length ?? 0
    const request = { offset, limit: pageSize(this.#wanted - offset, offset) }
    this.#request = { request, base }
    // Before the first page, events of the socket are kept from its `ready` on.
    if (base) this.#events = []
    return request
  }

  /**
   * Adds a page that was asked for.
   *
   * - `ahead`: its seq has not been reached; offer it again after the next event.
   * - `outdated`: ask for another one.
   * - `behind`: the inbox is older than what is known of it. The list has to be read again.
   */
  acceptPage(request: PageRequest, page: InboxPage): 'added' | 'ahead' | 'outdated' | 'behind' {
    if (this.#request?.request !== request) return 'outdated'
    const { base } = this.#request
    if (!base || !this.#current) {
      this.#beginList(page)
      return 'added'
    }
    if (page.seq < base.seq) {
      this.#isStale = true
      this.#request = undefined
      return 'behind'
    }
    if (page.seq > this.#current.seq) return 'ahead'
    const before = this.#events.filter(({ seq }) => seq <= page.seq).reduce(applyEvent, base)
    const extended = extendView(before, page, request.offset)
    if (!extended) return 'outdated'
    const after = this.#events.filter(({ seq }) => seq > page.seq)
    this.#collect(extended.added, extended.view)
    this.#request = undefined
    this.#events = []
    this.#show(after.reduce(applyEvent, extended.view))
    return 'added'
  }

  /** Forgets everything: the user has been erased. */
  clear(): void {
    this.#shown = { seq: this.#shown?.seq ?? 0, unread: 0, total: 0, notifications: [] }
    this.#current = this.#shown
    this.#relisting = undefined
    this.#told = []
  }

  /** Begins a list with its first page, and applies the events that came after it. */
  #beginList(page: InboxPage): void {
    const events = this.#events
    const shown = this.#shown
    this.#relisting = shown && {
      known: new Set(shown.notifications.map(({ id }) => id)),
      highest: this.#highest,
      isJoined: false,
      fresh: [],
      later: [],
    }
    this.#isStale = false
    this.#request = undefined
    this.#events = []
    const { notifications, ...counts } = page
    const view = { ...counts, notifications }
    this.#collect(notifications, view)
    this.#show(
      events.reduce<InboxView>(
        (current, event) => (event.seq === current.seq + 1 ? this.#applied(current, event) : current),
        view,
      ),
    )
  }

  /** The view after an event, whose notification is told. */
  #applied(view: InboxView, event: InboxEvent | UnknownEvent): InboxView {
    if (event.type === 'notification') (this.#relisting?.later ?? this.#told).push(event.data)
    return applyEvent(view, event)
  }

  /**
   * Collects the new notifications of a page: those above the first that the old list had. When it had none of them, those
   * whose id is above all known ones: ids begin with their time.
   */
  #collect(added: readonly Notification[], { notifications, total }: InboxView): void {
    const relisting = this.#relisting
    if (!relisting || relisting.isJoined) return
    const { known, highest, fresh } = relisting
    const first = added.findIndex(({ id }) => known.has(id))
    const older = added.findIndex(({ id }) => id <= highest)
    const end = first >= 0 ? first : older
    fresh.push(...(end >= 0 ? added.slice(0, end) : added))
    relisting.isJoined = end >= 0 || notifications.length >= total
  }

  /** Makes a view the current one, and shows it unless more pages are needed first. */
  #show(view: InboxView): void {
    this.#current = view
    if (this.#relisting) {
      if (this.needsPage) return
      this.#told.push(...this.#relisting.fresh.reverse(), ...this.#relisting.later)
      this.#relisting = undefined
    }
    this.#shown = view
    const newest = view.notifications[0]?.id ?? ''
    if (newest > this.#highest) this.#highest = newest
    this.own.settle(view)
  }
}

/** How many notifications are asked for, when `missing` are wanted. */
function pageSize(missing: number, offset: number): number {
  if (missing <= 0) return MAX_PAGE
  return Math.min(MAX_PAGE, offset === 0 ? missing : Math.max(missing, MIN_PAGE))
}
