import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import { agrees, lost, newIdIn } from './act.ts'
import { addNotice, makeRoom, removeNotice } from './inbox.ts'
import { type Announcement, type Inbox, inboxOf, type List, now, type World } from './state.ts'

/* How announcements come into inboxes: each takes them in when its user looks next. */

/** How long an isolate tells inboxes of what it has read. */
const TOLD_MS = 60_000
/** When it reads again, after an answer. */
const READ_AGAIN_MS = 30_000

/** The announcements whose time is not over. */
export function inForce(world: World): Announcement[] {
  return world.announcements.filter(({ expires_at }) => expires_at > now(world))
}

/** The isolate reads the list. */
export function learn(world: World): List {
  const list = { version: world.announced, announcements: inForce(world) }
  world.known = { list, read_ms: world.now_ms }
  return list
}

/**
 * A user looks at their inbox, which takes in what the isolate knows. Returns what comes after the answer: the inbox takes
 * in what the isolate learns only now.
 */
export function look(world: World, user: string): () => void {
  const { list, read_ms } = world.known
  const told = list && world.now_ms - read_ms < TOLD_MS ? list : undefined
  const inbox = inboxOf(world, user)
  if (told && isBehind(world, inbox, told)) takeIn(world, inbox, told)
  return () => {
    if (list && world.now_ms - read_ms < READ_AGAIN_MS) return
    const learned = learn(world)
    if (learned.version > (told?.version ?? 0)) takeIn(world, inbox, learned)
  }
}

/** The number of the latest announcement that is in force. */
function latest(world: World, { announcements }: List): number {
  const numbers = announcements.flatMap(({ number, expires_at }) => (expires_at > now(world) ? [number] : []))
  return Math.max(0, ...numbers)
}

function isBehind(world: World, { announced, notices }: Inbox, list: List): boolean {
  if (latest(world, list) > announced) return true
  const hasSome = notices.some(({ announcement }) => announcement !== undefined)
  return announced > 0 && list.version > announced && hasSome
}

function takeIn(world: World, inbox: Inbox, { version, announcements }: List): void {
  if (version <= inbox.announced) return
  const held = inbox.notices.filter(({ announcement }) => announcement !== undefined)
  const numbers = announcements.map(({ number }) => number)
  for (const notice of held) if (!numbers.includes(notice.announcement ?? 0)) removeNotice(inbox, notice)
  const added = announcements.filter(
    ({ number, expires_at }) => number > inbox.announced && expires_at > now(world),
  )
  for (const { number, type, data, expires_at } of added)
    addNotice(world, inbox, { id: unknownId(inbox), type, data, expires_at, announcement: number })
  makeRoom(world, inbox)
  if (held.length + added.length > 0) inbox.announced = version
}

const UNKNOWN = /^taken in at \d+$/

/** In place of the id of what has been taken in, until an answer or a socket shows the id. */
export function unknownId({ seq }: Inbox): string {
  return `taken in at ${seq + 1}`
}

/** Whether a client may know the id. */
export function isKnown({ id }: { id: string }): boolean {
  return !UNKNOWN.test(id)
}

/** An answer about an inbox. The ids of what has been taken in are learned from the first that shows them. */
export function tells(
  world: World,
  user: string,
  answer: Answer,
  status: number,
  body: (inbox: Inbox) => unknown,
): void {
  if (answer === lost) return
  meet(world, user, body(inboxOf(world, user)), answer.body)
  agrees(answer, status, body(inboxOf(world, user)))
}

/** Puts the ids that are shown in the places of those that are not known yet. */
export function meet(world: World, user: string, expected: unknown, shown: unknown): void {
  const ids = new Map(idsIn(expected, shown))
  if (ids.size === 0) return
  expect(new Set(ids.values()).size, 'as many ids as notifications').toBe(ids.size)
  const inbox = inboxOf(world, user)
  for (const id of ids.values()) {
    newIdIn(world, id)
    for (const { notices } of world.inboxes.values())
      expect(notices.map((notice) => notice.id)).not.toContain(id)
  }
  const { notices, events } = inbox
  const named = JSON.stringify({ notices, events }, (_, value: unknown) => ids.get(value) ?? value)
  const after: Pick<Inbox, 'notices' | 'events'> = JSON.parse(named)
  Object.assign(inbox, after)
}

/** Each id that is expected and not known, with the one that is shown in its place. */
function idsIn(expected: unknown, shown: unknown): [unknown, string][] {
  if (typeof expected === 'string')
    return UNKNOWN.test(expected) && typeof shown === 'string' ? [[expected, shown]] : []
  if (typeof expected !== 'object' || expected === null) return []
  const members = new Map(Object.entries(Object(shown)))
  return Object.entries(expected).flatMap(([name, value]) => idsIn(value, members.get(name)))
}
