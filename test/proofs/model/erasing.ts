import { type Act, agrees, type Requests } from './act.ts'
import { removeAsset } from './asset-record.ts'
import { forgetInCases } from './cases.ts'
import { forgetShare, forgetUpload, release } from './counting.ts'
import { recounted } from './favorites.ts'
import { mutesOf } from './mutes.ts'
import { inboxOf, now, type World } from './state.ts'
import { remove } from './tree.ts'

export function erasesUser(operator: string, user: string): Act<Requests> {
  return {
    says: `${operator} erases ${user}`,
    send: (service) => service.request(operator, 'DELETE', `/users/${encodeURIComponent(user)}`),
    judge: (world, answer) => {
      agrees(answer, 202)
      erase(world, user)
    },
  }
}

/** As far as two clocks may be apart, in seconds: what is made later has a time beyond that. */
const SKEW = 60

/** Until when an erasure erases that begins now. */
export function erasedUntil(world: World, user: string): number {
  return Math.max((world.erased_until[user] ?? -1) + 1, now(world) + SKEW)
}

function erase(world: World, user: string): void {
  world.erased_until[user] = erasedUntil(world, user)
  delete world.limit_bytes[user]
  for (const item of [...world.items.values()])
    if (item.owner_id === user && world.items.has(item.id)) remove(world, item)
  for (const asset of [...world.assets.values()]) if (asset.owner_id === user) removeAsset(world, asset)
  for (const upload of [...world.uploads.values()]) if (upload.owner_id === user) forgetUpload(world, upload)
  for (const share of [...world.shares.values()])
    if (share.grantee_id === user) {
      const item = world.items.get(share.file_id)
      if (item) item.has_hidden_shares = true
      forgetShare(world, share)
    }
  for (const name of world.keys.keys())
    if (name.startsWith(`${user} `) || name.includes(` for ${user} `)) world.keys.delete(name)
  const liked = world.favorites.get(user) ?? []
  world.favorites.delete(user)
  for (const id of liked) recounted(world, id)
  forgetInCases(world, user)
  release(world, user, { favorites: liked.length, mutes: mutesOf(world, user).length })
  world.mutes.delete(user)
  const inbox = inboxOf(world, user)
  inbox.announced = 0
  if (inbox.notices.length + inbox.events.length > 0) {
    const seq = inbox.seq + 1
    Object.assign(inbox, { seq, notices: [], events: [], base: { seq, unread: 0 } })
  }
}
