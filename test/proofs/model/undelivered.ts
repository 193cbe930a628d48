import { expect } from 'vitest'
import { EventsOverview } from '../../../src/operators/events/schema.ts'
import { databaseNames } from '../../support/databases.ts'
import { parkEvent, writeEvent } from '../../support/events.ts'
import { endMoves } from '../../support/moving.ts'
import { type Act, agrees, type Command, type Draw, member, unspoken } from './act.ts'
import { aPlayer } from './choose.ts'
import { now, type UndeliveredEvent, type World } from './state.ts'

/*
 * Events that were not delivered. They are from when WEBHOOK_URL was set. It is no more, so the service writes, delivers and
 * removes none by itself, and they change as operators ask.
 */

/** An id that no event has. */
const UNKNOWN = '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60'

export const newEvent: Command = {
  operation: 'an event',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const user_id = aPlayer(world, draw)
    return {
      says: `an event about ${user_id} waits`,
      send: async () => {
        await endMoves()
        return { ...unspoken, body: { id: (await writeEvent(user_id)).id } }
      },
      judge: (world, answer) => {
        const [id, at] = [String(member(answer, 'id')), now(world)]
        const begun = { attempts: 0, parked_at: null, last_error: null, last_failed_at: null }
        world.events.set(id, { id, user_id, created_at: at, ...begun })
      },
    }
  },
}

export const parks: Command = {
  operation: 'a delivery that is given up',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const event = draw.of([...world.events.values()].filter(({ parked_at }) => parked_at === null))
    return event && parksEvent(event)
  },
}

export function parksEvent({ id }: { id: string }): Act {
  return {
    says: `the delivery of ${id} is given up`,
    send: async () => {
      await endMoves()
      await parkEvent({ id })
      return unspoken
    },
    judge: (world) => {
      const event = world.events.get(id)
      if (event) Object.assign(event, { attempts: 12, parked_at: now(world), last_error: 'HTTP 500' })
    },
  }
}

/** Mostly an event, sometimes all that are parked, or none that there is. */
function named(world: World, draw: Draw): string {
  const event = draw.of([...world.events.keys()])
  const [isAll, isUnknown] = [draw.chance(25), draw.chance(10)]
  if (isAll) return 'all'
  return isUnknown ? UNKNOWN : (event ?? UNKNOWN)
}

function changes(
  world: World,
  verb: 'resend' | 'discard',
  which: string,
  change: (world: World, event: UndeliveredEvent) => void,
  fits: (event: UndeliveredEvent) => boolean,
): Act {
  return {
    says: `${world.operator}: ${verb} ${which}`,
    send: async (service) => {
      // The events of a partition that is on its way are left out.
      if (which === 'all') await endMoves()
      const json = which === 'all' ? { all: true } : { id: which }
      return service.request(world.operator, 'POST', `/events/${verb}`, { json })
    },
    judge: (world, answer) => {
      const events = [...world.events.values()].filter((event) =>
        which === 'all' ? event.parked_at !== null : event.id === which && fits(event),
      )
      for (const event of events) change(world, event)
      agrees(answer, 200, { events: events.length, has_more: false })
    },
  }
}

export const resendEvents: Command = {
  operation: 'resendEvents',
  writes: true,
  alone: true,
  draw: (world, draw) =>
    changes(
      world,
      'resend',
      named(world, draw),
      (_, event) => Object.assign(event, { attempts: 0, parked_at: null }),
      () => true,
    ),
}

export const discardEvents: Command = {
  operation: 'discardEvents',
  writes: true,
  alone: true,
  draw: (world, draw) => discardsEvents(world, named(world, draw)),
}

export function discardsEvents(world: World, which: string): Act {
  return changes(
    world,
    'discard',
    which,
    (world, { id }) => world.events.delete(id),
    ({ parked_at }) => parked_at !== null,
  )
}

export const listUndeliveredEvents: Command = {
  operation: 'listUndeliveredEvents',
  writes: false,
  draw: (world) => ({
    says: `${world.operator} lists the events that were not delivered`,
    send: async (service) => {
      // The copies in the other database are listed, too.
      await endMoves()
      return service.request(world.operator, 'GET', '/events?limit=500')
    },
    judge: (world, answer) => {
      expect(answer.status, answer.text).toBe(200)
      const { is_configured, databases, waiting, parked } = EventsOverview.parse(answer.body)
      const all = [...world.events.values()]
      const [told, gone] = [waiting, parked].map((events) =>
        Object.fromEntries(events.map(({ database: _, next_at: __, ...event }) => [event.id, event])),
      )
      expect(told).toEqual(shown(all.filter(({ parked_at }) => parked_at === null)))
      expect(gone).toEqual(shown(all.filter(({ parked_at }) => parked_at !== null)))
      for (const { next_at } of waiting) expect(next_at, 'due at once').toBeLessThanOrEqual(now(world))
      expect(is_configured).toBe(false)
      expect(databases.map(({ database }) => database)).toEqual(databaseNames)
      const sum = (of: 'waiting' | 'parked') => databases.reduce((total, counts) => total + counts[of], 0)
      expect([sum('waiting'), sum('parked')]).toEqual([waiting.length, parked.length])
      expect(least(databases.map(({ oldest_at }) => oldest_at))).toEqual(
        least(waiting.map(({ created_at }) => created_at)),
      )
      expect(least(databases.map(({ oldest_parked_at }) => oldest_parked_at))).toEqual(
        least(parked.map(({ parked_at }) => parked_at)),
      )
    },
  }),
}

function shown(events: UndeliveredEvent[]): Record<string, unknown> {
  return Object.fromEntries(
    events.map(({ user_id, ...event }) => [
      event.id,
      { ...event, type: 'user.erased', resource_id: user_id, data: { user_id } },
    ]),
  )
}

function least(times: (number | null)[]): number {
  return Math.min(...times.flatMap((time) => time ?? []))
}
