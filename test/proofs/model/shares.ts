import { z } from '@hono/zod-openapi'
import type { ErrorCode } from '../../../src/platform/errors.ts'
import type { Answer } from '../../support/exchange.ts'
import {
  type Act,
  agrees,
  type Command,
  commandOn,
  creates,
  type Draw,
  drawKey,
  keyHeader,
  member,
  newIdIn,
  type Requests,
  refused,
} from './act.ts'
import { anItem, aPlayer, aTarget, type Target } from './choose.ts'
import { expectUrl } from './content.ts'
import { forgetShare } from './counting.ts'
import type { Item } from './files.ts'
import { hasMuted } from './mutes.ts'
import { allPages } from './pages.ts'
import { bornAt, now, type Share, type World } from './state.ts'
import { isBlocked, ownLive, standing } from './tree.ts'

function sharesOf(world: World, file_id: string): Share[] {
  return [...world.shares.values()]
    .filter((share) => share.file_id === file_id)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}

interface Sharing {
  grantee_id: string
  permission: string
  expires_at: number | null
}

export const createShare: Command = {
  operation: 'createShare',
  writes: true,
  draw: (world, draw) => {
    const any = draw.chance(10)
    const { user, id } = anItem(world, draw, ({ processing_state }) => any || processing_state === 'ready')
    const grantee_id = draw.chance(20) ? 'somebody else' : aPlayer(world, draw)
    const permission = draw.one('view', 'edit')
    const key = drawKey(draw)
    const expires_at = draw.one(
      null,
      null,
      now(world) + 3_600,
      now(world) + 3_600,
      now(world) + 60,
      now(world),
    )
    const json = { grantee_id, permission, expires_at }
    return createsShare(user, id, json, key)
  },
}

export function createsShare(user: string, id: string, json: Sharing, key?: string): Act<Requests> {
  const { grantee_id, permission, expires_at } = json
  return {
    key,
    says: `${user} shares ${id} with ${grantee_id} until ${expires_at} (${key})`,
    send: (service) =>
      service.request(user, 'POST', `/files/${id}/shares`, {
        json,
        headers: keyHeader(key),
      }),
    judge: (world, answer) => {
      if (grantee_id === user) return refused(answer, 'SHARE_INVALID_GRANTEE')
      creates(world, answer, {
        caller: user,
        key,
        request: ['createShare', id, json],
        again: (made) => {
          const share = world.shares.get(made)
          if (share) agrees(answer, 201, share)
          else refused(answer, 'SHARE_NOT_FOUND')
        },
        make: () => {
          const known = sharesOf(world, id).find((share) => share.grantee_id === grantee_id)
          const refusal = sharingRefusal(world, user, id, expires_at, known)
          if (refusal) {
            refused(answer, refusal)
            return undefined
          }
          const share = known ?? {
            id: newIdIn(world, member(answer, 'id')),
            file_id: id,
            grantee_id,
            permission,
            expires_at,
            created_at: bornAt(world, grantee_id),
          }
          world.shares.set(share.id, { ...share, permission, expires_at })
          agrees(answer, 201, world.shares.get(share.id))
          return share.id
        },
      })
    },
  }
}

function sharingRefusal(
  world: World,
  user: string,
  id: string,
  expires_at: number | null,
  known: Share | undefined,
): ErrorCode | undefined {
  if (expires_at !== null && expires_at <= now(world)) return 'VALIDATION_FAILED'
  const item = ownLive(world, user, id)
  if (!item) return 'FILE_NOT_FOUND'
  if (item.asset_type === 'folder') return 'FILE_IS_FOLDER'
  if (item.processing_state !== 'ready') return 'FILE_NOT_READY'
  const isLive = ({ expires_at }: Share) => (expires_at ?? Infinity) > now(world)
  const isFull = sharesOf(world, id).filter(isLive).length >= world.limits.MAX_SHARES_PER_FILE
  return isFull && !(known && isLive(known)) ? 'LIMIT_REACHED' : undefined
}

export const listSharesOfFile = commandOn('listSharesOfFile', false, anItem, listsSharesOf)

export function listsSharesOf(user: string, id: string): Act<Requests> {
  return {
    says: `${user} lists the shares of ${id}`,
    send: (service) => service.request(user, 'GET', `/files/${id}/shares`),
    judge: (world, answer) =>
      ownLive(world, user, id) ? agrees(answer, 200, sharesOf(world, id)) : refused(answer, 'FILE_NOT_FOUND'),
  }
}

export const listSharedWithMe: Command = {
  operation: 'listSharedWithMe',
  writes: false,
  draw: (world, draw) => listsSharedWith(aPlayer(world, draw), draw.one(100, 1, 2)),
}

export function listsSharedWith(user: string, limit: number): Act<Requests> {
  return {
    says: `${user} lists what has been shared with them`,
    send: (service) =>
      allPages({ limit }, (query) => service.request(user, 'GET', `/shares?${query}`), 'shares'),
    judge: (world, answer) => {
      const isHeard = (item: Item | undefined) => item && hasMuted(world, user, item.owner_id) === false
      const shares = [...world.shares.values()]
        .filter(({ grantee_id, expires_at }) => grantee_id === user && (expires_at ?? Infinity) > now(world))
        .filter(({ file_id }) => !isBlocked(world, file_id))
        .filter(({ file_id }) => isHeard(world.items.get(file_id)))
        .sort((one, other) => (one.id < other.id ? 1 : -1))
        .map((share) => ({ ...share, file: sharedFile(world, share.file_id) }))
      agrees(withoutFading(world, user, answer), 200, { shares, next_cursor: null })
    },
  }
}

const SharesPage = z.object({
  shares: z.array(z.looseObject({ file: z.looseObject({ owner_id: z.string() }) })),
})

/** The answer to a list without shares that a fading mute may leave out. */
function withoutFading(world: World, user: string, answer: Answer): Answer {
  const page = SharesPage.loose().safeParse(answer.body).data
  if (!page) return answer
  const shares = page.shares.filter(({ file }) => hasMuted(world, user, file.owner_id) !== undefined)
  return { ...answer, body: { ...page, shares } }
}

function sharedFile(world: World, file_id: string) {
  const item = world.items.get(file_id)
  if (!item) return undefined
  const { id, name, asset_type, size_bytes, mime_type, owner_id } = item
  return {
    id,
    name,
    asset_type,
    size_bytes,
    mime_type,
    owner_id,
    in_trash: standing(world, id) === 'trashed',
  }
}

/** A share, and mostly its grantee or the owner of its file. */
function aShare(world: World, draw: Draw): Target {
  const ofGrantee = draw.chance(60)
  const shares = [...world.shares.values()].map(({ id, grantee_id, file_id }) => ({
    id,
    owner_id: ofGrantee ? grantee_id : (world.items.get(file_id)?.owner_id ?? grantee_id),
  }))
  return aTarget(shares, shares, world, draw)
}

export const sharedUrl = commandOn('getSharedUrl', false, aShare, asksForSharedUrl)

export function asksForSharedUrl(user: string, id: string): Act<Requests> {
  return {
    says: `${user} asks for the URL of share ${id}`,
    send: (service) => service.request(user, 'GET', `/shares/${id}/url`),
    judge: (world, answer) => {
      const share = world.shares.get(id)
      const file = share && world.items.get(share.file_id)
      if (!share || !file || (file.owner_id !== user && share.grantee_id !== user))
        return refused(answer, 'SHARE_NOT_FOUND')
      const end = share.expires_at ?? Number.POSITIVE_INFINITY
      if (file.owner_id === user || end <= now(world)) return refused(answer, 'SHARE_ACCESS_DENIED')
      if (standing(world, file.id) !== 'live' || isBlocked(world, file.id))
        return refused(answer, 'FILE_NOT_FOUND')
      expectUrl(world, answer, file.content, Math.min(end, now(world) + world.limits.DOWNLOAD_URL_TTL))
    },
  }
}

export const revokeShare = commandOn('revokeShare', true, aShare, revokesShare)

export function revokesShare(user: string, id: string): Act<Requests> {
  return {
    says: `${user} revokes share ${id}`,
    send: (service) => service.request(user, 'DELETE', `/shares/${id}`),
    judge: (world, answer) => {
      const share = world.shares.get(id)
      const isOwner = share && world.items.get(share.file_id)?.owner_id === user
      if (!share || !(isOwner || share.grantee_id === user)) return refused(answer, 'SHARE_NOT_FOUND')
      forgetShare(world, share)
      agrees(answer, 204)
    },
  }
}

export const leaveSharesOfOwner: Command = {
  operation: 'leaveSharesOfOwner',
  writes: true,
  draw: (world, draw) => {
    const [user, owner_id] = [aPlayer(world, draw), aPlayer(world, draw)]
    return {
      says: `${user} gives up what ${owner_id} shares with them`,
      send: (service) => service.request(user, 'DELETE', `/shares?owner_id=${encodeURIComponent(owner_id)}`),
      judge: (world, answer) => {
        for (const share of [...world.shares.values()])
          if (
            share.grantee_id === user &&
            world.items.get(share.file_id)?.owner_id === owner_id &&
            (share.expires_at ?? Infinity) > now(world)
          )
            forgetShare(world, share)
        agrees(answer, 204)
      },
    }
  },
}
