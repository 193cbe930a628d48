import { end } from '../../proofs/model/completing.ts'
import { copyOf } from '../../proofs/model/state.ts'
import { readsUpload } from '../../proofs/model/uploads.ts'
import type { Actor } from './actor.ts'

/**
 * Uploads whose time is over may have gone with the job, and must have if it has run since. Tells whether one has.
 *
 * @throws Error when one is still there
 */
export async function forgetExpired(actor: Actor): Promise<boolean> {
  const after = copyOf(actor.model)
  let isChanged = false
  for (const upload of [...after.uploads.values()]) {
    const expiry = upload.expires_at * 1_000
    if (upload.state !== 'open' || expiry > Date.now()) continue
    const { status } = await readsUpload(actor.user, upload.id).send(actor.wire)
    if (status === 404) {
      end(after, upload, ['pending', 'processing'])
      isChanged = true
    } else if (actor.run.jobRanAt > expiry + 1_000)
      throw new Error(`upload ${upload.id} expired, the job has run since, and it is still there: ${status}`)
  }
  if (isChanged) actor.follow(after)
  return isChanged
}
