import { expect } from 'vitest'
import { everywhere } from '../../support/databases.ts'
import { type Act, agrees, type Command, member, type Room, refused, room } from './act.ts'
import { anUpload, aPlayer } from './choose.ts'
import { becomeContent, becomeVersion, fail, hopeless, isForNothing, waits } from './completing.ts'
import { isTaken } from './names.ts'
import { now, type Upload, type World } from './state.ts'

/** A verdict of the studio's checker, mostly on content that waits for one. */
export const setVerdict: Command = {
  operation: 'setVerdict',
  // Every pair of commands that write is a test: those of verdicts are in test/proofs/pairs-known.test.ts.
  writes: false,
  draw: (world, draw) => {
    const { id } = anUpload(world, draw, draw.chance(80) ? waits : undefined)
    const [isPlayer, player, isReady] = [draw.chance(5), aPlayer(world, draw), draw.chance(65)]
    return givesVerdict(isPlayer ? player : world.operator, id, isReady ? 'ready' : 'failed')
  },
}

/** What the verdict has made, which its answer does not tell. */
interface Made {
  state: string
  asset_id: string | null
  completion_id: string | null
}

export function givesVerdict(user: string, id: string, verdict: 'ready' | 'failed'): Act {
  const json = verdict === 'ready' ? { verdict } : { verdict, reason: 'It has a virus.' }
  return {
    says: `${user} gives the verdict ${verdict} on ${id}`,
    send: async (service) => {
      const answer = await service.request(user, 'PUT', `/uploads/${id}/verdict`, { json })
      if (answer.status !== 204) return answer
      const rows = await everywhere<Made>(
        'SELECT state, asset_id, completion_id FROM uploads WHERE id = ?',
        id,
      )
      return { ...answer, body: rows.find(({ state }) => state === 'completed') ?? rows[0] }
    },
    judge: (world, answer) => {
      if (user !== world.operator) return refused(answer, 'FORBIDDEN')
      const upload = world.uploads.get(id)
      if (!upload) return refused(answer, 'UPLOAD_NOT_FOUND')
      if (waits(upload)) {
        const made = { asset: member(answer, 'asset_id'), version: member(answer, 'completion_id') }
        if (verdict === 'failed') reject(world, upload)
        else accept(world, upload, member(answer, 'state') === 'completed' ? made : undefined)
      }
      const { state, check } = upload
      if (check === verdict) return agrees({ ...answer, body: undefined }, 204)
      const isFinal = check === 'ready' || check === 'failed' || state === 'completed'
      refused(answer, isFinal ? 'UPLOAD_COMPLETED' : 'UPLOAD_NOT_FOUND')
    },
  }
}

function reject(world: World, upload: Upload): void {
  fail(world, upload, 'UPLOAD_REJECTED')
  upload.check = 'failed'
}

/** Completes the upload, which the service has if `made` is given, or leaves that to its owner when something is in the way. */
function accept(world: World, upload: Upload, made: { asset: unknown; version: unknown } | undefined): void {
  const file = world.items.get(upload.file_id ?? '')
  const refusal = hopeless(world, upload, undefined)
  if (isForNothing(world, upload, refusal)) {
    fail(world, upload, refusal)
    return
  }
  upload.check = 'ready'
  const { must, may } = refusal ? { must: [refusal], may: [refusal] } : roomFor(world, upload)
  if (must.length > 0) expect(made, `completed in spite of ${must}`).toBeUndefined()
  if (made) {
    upload.state = 'completed'
    if (file) becomeContent(world, upload, file)
    else becomeVersion(world, upload, upload.name ?? '', made)
    return
  }
  expect(may, 'what keeps it from being completed').not.toEqual([])
  upload.expires_at = Math.max(upload.expires_at, now(world) + world.limits.UPLOAD_TTL)
}

/** What is in the way of the version that an upload becomes. A file is there already. */
function roomFor(world: World, upload: Upload): Room {
  if (upload.upload_type === 'file') return { must: [], may: [] }
  const isNew = upload.asset_id === null
  if (isNew && isTaken(world, upload.owner_id, upload.name ?? ''))
    return { must: ['DUPLICATE_ASSET_NAME'], may: ['DUPLICATE_ASSET_NAME'] }
  const shown = Number(isNew && upload.visibility === 'public')
  return room(world, upload.owner_id, { assets: Number(isNew), shown, versions: 1 })
}
