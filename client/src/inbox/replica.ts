import type { InboxEvent, InboxPage, Item, ReadyMessage, UnknownEvent } from './messages.ts'
import { OwnChanges } from './own-changes.ts'
import { applyEvent, extendView, type InboxView } from './view.ts'

/** The service's maximum page size. */
const MAX_PAGE = 100
/** The smallest page requested after the first: without it, each deletion would cause a request for one notification. */
const MIN_PAGE = 10

/** A request for a page. Only the answer to the latest request is accepted. */
export interface PageRequest {
  readonly offset: number
  readonly limit: number
}

/** A list that is being read again, and replaces the shown list once the two overlap. */
interface Relisting<One extends Item> {
  /** The ids of the old list, and the highest known id: a notification above them is new. */
  readonly known: ReadonlySet<string>
  readonly highest: string
  /** Whether a page has reached the old list. */
  isJoined: boolean
  /** New notifications from pages, newest first. */
  readonly fresh: One[]
  /** New notifications from events since, oldest first. */
  readonly later: One[]
}

/**
 * A copy of an inbox, built from pages and events; it does no I/O. `view` is always a state that the inbox had, and
 * `takeNew()` returns each new notification exactly once, in the order of the inbox.
 */
export class InboxReplica<One extends Item> {
  readonly own = new OwnChanges()
  /** The view for the application; undefined before the first list. */
  #shown: InboxView<One> | undefined
  /** The view that pages and events are applied to: the same as `#shown`, except while the list is read again. */
  #current: InboxView<One> | undefined
  #relisting: Relisting<One> | undefined
  #isStale = true
  #request: { readonly request: PageRequest; readonly base: InboxView<One> | undefined } | undefined
  /** The events since the page was requested. */
  #events: (InboxEvent<One> | UnknownEvent)[] = []
  #unannounced: One[] = []
  /** The highest notification id ever shown, deleted notifications included. */
  #highest = ''
  #wanted: number

  /** `wanted`: how many of the newest notifications to load. */
  constructor(wanted: number) {
    this.#wanted = wanted
  }

  /** Whether the list has to be read again from its first page. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** The seq after which a socket continues; undefined when the list has to be read first. */
  get seq(): number | undefined {
    return this.#isStale ? undefined : this.#current?.seq
  }

  /** The view for the application, with this device's pending changes; undefined before the first list. */
  get view(): InboxView<One> | undefined {
    return this.#shown && this.own.over(this.#shown)
  }

  /** The ids of the notifications of the view that the service has as read. */
  get confirmedRead(): string[] {
    return (this.#shown?.notifications ?? []).filter(({ state }) => state === 'read').map(({ id }) => id)
  }

  /** Whether `view` is up to date: false while the list is read again. */
  get isComplete(): boolean {
    return !this.#isStale && this.#shown === this.#current
  }

  /** Whether a page has to be requested, to read the list again or to have the wanted number of notifications. */
  get needsPage(): boolean {
    if (this.#isStale || !this.#current) return true
    const { notifications, total } = this.#current
    if (notifications.length >= total) return false
    return notifications.length < this.#wanted || this.#relisting?.isJoined === false
  }

  /** Raises the wanted number to `count` more than are loaded. */
  wantMore(count: number): void {
    this.#wanted = Math.max(this.#wanted, (this.#current?.notifications.length ?? 0) + count)
  }

  /** Returns the notifications that are new since the last call, oldest first. */
  takeNew(): One[] {
    const unannounced = this.#unannounced
    this.#unannounced = []
    return unannounced
  }

  /** The first message of a socket that continues after `seq`. */
  ready({ data, seq }: Pick<ReadyMessage, 'data' | 'seq'>): void {
    if (!data.recovered || seq !== this.seq) this.#readAgain()
  }

  /** Applies an event. Returns false when an earlier event is missing: the caller drops the socket. */
  receive(event: InboxEvent<One> | UnknownEvent): boolean {
    if (this.#isStale) {
      this.#events.push(event)
      return true
    }
    if (!this.#current || event.seq <= this.#current.seq) return true
    if (event.seq !== this.#current.seq + 1) return false
    if (event.type === 'unknown') {
      this.#readAgain()
      return true
    }
    if (this.#request) this.#events.push(event)
    this.#show(this.#applied(this.#current, event))
    return true
  }

  /** Returns the next page to request. The answer to an earlier request is no longer accepted. */
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
   * Adds a requested page.
   *
   * - `ahead`: the page is newer than the replica; offer it again after the next event.
   * - `outdated`: call `requestPage()` again.
   * - `behind`: the inbox is older than the replica. The list has to be read again.
   */
  acceptPage(request: PageRequest, page: InboxPage<One>): 'added' | 'ahead' | 'outdated' | 'behind' {
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
    const before = this.#events.filter(({ seq }) => seq <= page.seq).reduce(applyEvent<One>, base)
    const extended = extendView(before, page, request.offset)
    if (!extended) return 'outdated'
    const after = this.#events.filter(({ seq }) => seq > page.seq)
    this.#collect(extended.added, extended.view)
    this.#request = undefined
    this.#events = []
    this.#show(after.reduce(applyEvent<One>, extended.view))
    return 'added'
  }

  /** Empties the view: the user has been erased. */
  clear(): void {
    this.#shown = { seq: this.#shown?.seq ?? 0, unread: 0, total: 0, notifications: [] }
    this.#current = this.#shown
    this.#relisting = undefined
    this.#unannounced = []
  }

  #readAgain(): void {
    this.#isStale = true
    this.#request = undefined
    this.#events = []
  }

  /** Starts a list from its first page, and applies the events after it. */
  #beginList(page: InboxPage<One>): void {
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
    let view: InboxView<One> = { ...counts, notifications }
    if (notifications.length === 0) view = { ...view, total: 0 } // As extendView() does.
    this.#collect(notifications, view)
    for (const [index, event] of events.entries()) {
      if (event.seq !== view.seq + 1) continue
      if (event.type === 'unknown') {
        this.#readAgain()
        this.#events = events.slice(index + 1)
        break
      }
      view = this.#applied(view, event)
    }
    this.#show(view)
  }

  /** The view after an event. Records a new notification for `takeNew()`. */
  #applied(view: InboxView<One>, event: InboxEvent<One>): InboxView<One> {
    if (event.type === 'notification') (this.#relisting?.later ?? this.#unannounced).push(event.data)
    return applyEvent(view, event)
  }

  /**
   * Collects the new notifications of a page: all before the first that the old list has. If the old list has none of them,
   * all whose id is above the highest known id (ids begin with a timestamp).
   */
  #collect(added: readonly One[], { notifications, total }: InboxView<One>): void {
    const relisting = this.#relisting
    if (!relisting || relisting.isJoined) return
    const { known, highest, fresh } = relisting
    const first = added.findIndex(({ id }) => known.has(id))
    const older = added.findIndex(({ id }) => id <= highest)
    const end = first >= 0 ? first : older
    fresh.push(...(end >= 0 ? added.slice(0, end) : added))
    relisting.isJoined = end >= 0 || notifications.length >= total
  }

  /** Sets the current view, and shows it unless a list that is read again needs more pages first. */
  #show(view: InboxView<One>): void {
    this.#current = view
    if (this.#relisting) {
      if (this.needsPage) return
      this.#unannounced.push(...this.#relisting.fresh.reverse(), ...this.#relisting.later)
      this.#relisting = undefined
    }
    this.#shown = view
    const newest = view.notifications[0]?.id ?? ''
    if (newest > this.#highest) this.#highest = newest
    this.own.settle(view)
  }
}

/** The page size to request when `missing` notifications are wanted. */
function pageSize(missing: number, offset: number): number {
  if (missing <= 0) return MAX_PAGE
  return Math.min(MAX_PAGE, offset === 0 ? missing : Math.max(missing, MIN_PAGE))
}
