import { type Act, agrees, type Command, drawKey, keyHeader, member, newIdIn, refused } from './act.ts'
import { UNKNOWN } from './choose.ts'
import { allPages } from './pages.ts'
import { type Announcement, now, type World } from './state.ts'
import { inForce, learn } from './taking-in.ts'

const DAY = 86_400

/** An announcement as answers have it. */
function shown({ number, key, request, ...announcement }: Announcement) {
  return announcement
}

export const publishAnnouncement: Command = {
  operation: 'publishAnnouncement',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const life = draw.one(60, 3_600, 3_600, DAY, DAY, 4 * DAY, 6 * DAY)
    const type = draw.one('studio.maintenance', 'studio.event')
    const json = { type, data: { minutes: draw.below(3) }, expires_at: now(world) + life }
    return announces(world.operator, json, drawKey(draw))
  },
}

function announces(
  publisher: string,
  json: Pick<Announcement, 'type' | 'data' | 'expires_at'>,
  key?: string,
): Act {
  const request = JSON.stringify(json)
  return {
    key,
    says: `${publisher} announces ${request} (${key})`,
    send: (service) =>
      service.request(publisher, 'POST', '/announcements', { json, headers: keyHeader(key) }),
    judge: (world, answer) => {
      const ahead = json.expires_at - now(world)
      if (ahead <= 0 || ahead > world.limits.NOTIFICATION_RETENTION_DAYS * DAY)
        return refused(answer, 'VALIDATION_FAILED')
      const others = inForce(world)
      const earlier = key === undefined ? undefined : others.find((other) => other.key === key)
      if (earlier?.request === request) return agrees(answer, 201, shown(earlier))
      if (earlier) return refused(answer, 'IDEMPOTENCY_KEY_REUSED')
      if (others.length >= world.limits.MAX_ANNOUNCEMENTS) return refused(answer, 'LIMIT_REACHED')
      const id = newIdIn(world, member(answer, 'id'))
      const number = ++world.announced
      const announcement = { id, ...json, created_at: now(world), number, key, request }
      world.announcements = [...others, announcement]
      learn(world)
      agrees(answer, 201, shown(announcement))
    },
  }
}

export const listAnnouncements: Command = {
  operation: 'listAnnouncements',
  writes: false,
  alone: true,
  draw: (world, draw) => listsAnnouncements(world.operator, draw.one(1, 2, 100)),
}

function listsAnnouncements(operator: string, limit: number): Act {
  return {
    says: `${operator} lists the announcements`,
    send: (service) =>
      allPages(
        { limit },
        (query) => service.request(operator, 'GET', `/announcements?${query}`),
        'announcements',
      ),
    judge: (world, answer) =>
      agrees(answer, 200, { announcements: inForce(world).toReversed().map(shown), next_cursor: null }),
  }
}

export const deleteAnnouncement: Command = {
  operation: 'deleteAnnouncement',
  writes: true,
  alone: true,
  draw: (world, draw) => {
    const one = draw.of(world.announcements)
    return endsAnnouncement(world.operator, draw.chance(10) ? UNKNOWN : (one?.id ?? UNKNOWN))
  },
}

function endsAnnouncement(operator: string, id: string): Act {
  return {
    says: `${operator} ends announcement ${id}`,
    send: (service) => service.request(operator, 'DELETE', `/announcements/${id}`),
    judge: (world, answer) => {
      const isThere = inForce(world).some((one) => one.id === id)
      if (isThere) {
        world.announcements = world.announcements.filter((one) => one.id !== id)
        world.announced++
        world.gone.push(id)
      }
      learn(world)
      if (isThere) agrees(answer, 204)
      else refused(answer, 'ANNOUNCEMENT_NOT_FOUND')
    },
  }
}

/** Every announcement ends. */
export function endsAll(world: World): Act[] {
  return inForce(world).map(({ id }) => endsAnnouncement(world.operator, id))
}
