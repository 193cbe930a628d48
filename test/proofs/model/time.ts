import { everyDatabase } from '../../support/databases.ts'
import { type Act, type Command, unspoken } from './act.ts'
import { removeAsset } from './asset-record.ts'
import { end } from './completing.ts'
import { forgetShare, release } from './counting.ts'
import { forgetGone } from './favorites.ts'
import { removeNotice } from './inbox.ts'
import { inboxOf, type Notice, now, type World } from './state.ts'
import { remove } from './tree.ts'
import { isOver } from './uploads.ts'

const DAY = 86_400

export const runJob: Command = {
  operation: 'the job',
  writes: true,
  draw: () => runsJob(),
}

export function runsJob(): Act {
  return {
    says: 'the job runs',
    send: async (service) => {
      await service.runJob()
      return unspoken
    },
    judge: (world) => doWhatIsDue(world),
  }
}

/** How long an upload that has ended is remembered after its time. */
const REMEMBERED = DAY

function doWhatIsDue(world: World): void {
  const { TRASH_RETENTION_DAYS } = world.limits
  const kept_ms = world.now_ms - TRASH_RETENTION_DAYS * DAY * 1_000
  for (const upload of [...world.uploads.values()]) {
    if (isOver(world, upload)) {
      end(world, upload, ['pending', 'processing'])
      release(world, upload.owner_id, { uploads: 1, items: 1, bytes: upload.size_bytes })
    }
    if (upload.state !== 'open' && upload.expires_at <= now(world) - REMEMBERED) {
      world.uploads.delete(upload.id)
      world.gone.push(upload.id)
    }
  }
  const retired = [...world.items.values()].filter(
    ({ trashed_at }) => trashed_at !== null && trashed_at <= kept_ms,
  )
  for (const item of retired) if (world.items.has(item.id)) remove(world, item)
  for (const asset of [...world.assets.values()])
    if (asset.deleted_at !== null && asset.deleted_at <= kept_ms) removeAsset(world, asset)
  for (const share of [...world.shares.values()])
    if ((share.expires_at ?? Infinity) <= now(world) - 30 * DAY) forgetShare(world, share)
  if (world.isBusy) return
  world.releasing.clear()
  // A recount waits while a partition moves.
  if (everyDatabase.length === 1) {
    for (const asset of world.assets.values()) asset.favorites = asset.favorites.slice(-1)
    forgetGone(world)
  }
  world.given_up = world.given_up.filter(({ until }) => until > now(world))
}

export const timePasses: Command = {
  operation: 'time',
  writes: true,
  draw: (_, draw) => passes(draw.one(5, 70, 70, 3_700, 3_700, 3_700, DAY, 2 * DAY, 4 * DAY, 8 * DAY)),
}

/** Time passes, in seconds, and inboxes do what is due. */
export function passes(seconds: number): Act {
  return {
    says: `${seconds} seconds pass`,
    send: async () => unspoken,
    judge: (world) => {
      world.now_ms += seconds * 1_000
    },
  }
}

/** An inbox's alarm rings when what it holds is due: the story asks it to after each step. */
export function retire(world: World, user: string): void {
  const inbox = inboxOf(world, user)
  const kept = now(world) - world.limits.NOTIFICATION_RETENTION_DAYS * DAY
  const isOld = ({ created_at }: Notice) => created_at <= kept
  const isOver = ({ expires_at = Infinity }: Notice) => expires_at <= now(world)
  for (const isDue of [isOld, isOver])
    for (const notice of inbox.notices.filter(isDue)) removeNotice(inbox, notice)
}

/** Somebody does once more what they did with an Idempotency-Key. */
export const again: Command = {
  operation: 'again',
  writes: true,
  draw: (world, draw) => {
    const before = draw.of(world.keyed.slice(-4))
    return before && { ...before, says: `again: ${before.says}` }
  },
}
