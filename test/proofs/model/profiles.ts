import type { Answer } from '../../support/exchange.ts'
import { type Act, agrees, type Command, lost, type Requests, refused } from './act.ts'
import { anItem, aPlayer } from './choose.ts'
import { bornAt, type World } from './state.ts'
import { isBlocked, ownLive } from './tree.ts'

/** Somebody whom nobody knows. */
const NOBODY = 'nobody'

export const setProfile: Command = {
  operation: 'setProfile',
  writes: true,
  draw: (world, draw) => {
    const isNone = draw.chance(15)
    const { user, id } = anItem(world, draw, ({ asset_type }) => asset_type === 'profile_pic')
    return setsProfile(user, isNone ? null : id)
  },
}

export function setsProfile(user: string, picture_id: string | null): Act<Requests> {
  return {
    says: `${user} shows ${picture_id}`,
    send: (service) => service.request(user, 'PUT', '/profile', { json: { picture_id } }),
    judge: (world, answer) => {
      if (picture_id === null) world.pictures.delete(user)
      else {
        const file = ownLive(world, user, picture_id)
        if (!file) return refused(answer, 'FILE_NOT_FOUND')
        if (file.asset_type !== 'profile_pic' || file.processing_state !== 'ready')
          return refused(answer, 'VALIDATION_FAILED')
        if (world.pictures.get(user)?.picture_id !== picture_id)
          world.pictures.set(user, { picture_id, updated_at: bornAt(world, user) })
      }
      agrees(withPaths(answer), 200, profileOf(world, user))
    },
  }
}

export const getProfiles: Command = {
  operation: 'getProfiles',
  writes: false,
  draw: (world, draw) =>
    readsProfiles(aPlayer(world, draw), [NOBODY, ...world.players, aPlayer(world, draw)]),
}

export function readsProfiles(user: string, user_ids: readonly string[]): Act<Requests> {
  return {
    says: `${user} reads the profiles of ${user_ids}`,
    send: (service) => service.request(user, 'POST', '/profiles', { json: { user_ids } }),
    judge: (world, answer) => {
      agrees(withPaths(answer), 200, { profiles: user_ids.map((id) => profileOf(world, id)) })
    },
  }
}

/** A profile, with the path of its URL. */
function profileOf(world: World, user_id: string) {
  const chosen = world.pictures.get(user_id)
  const file = chosen && ownLive(world, user_id, chosen.picture_id)
  if (!chosen || !file || isBlocked(world, file.id)) return { user_id, picture_url: null, updated_at: null }
  return { user_id, picture_url: `/pictures/files/${file.id}/${file.content}`, updated_at: chosen.updated_at }
}

/** The answer with the path of each URL in its place: the service is asked at several addresses. */
function withPaths(answer: Answer): Answer {
  if (answer === lost) return answer
  const text = answer.text.replaceAll(/"picture_url":"https?:\/\/[^/"]+/g, '"picture_url":"')
  return { ...answer, body: text === '' ? undefined : JSON.parse(text) }
}
