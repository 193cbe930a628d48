import { setTimeout } from 'node:timers/promises'
import { codeOf } from '../../proofs/model/act.ts'
import { readsUpload } from '../../proofs/model/uploads.ts'
import type { Actor } from './actor.ts'
import { openUploads } from './fitting.ts'
import { prepared } from './habits.ts'
import type { Run } from './run.ts'
import { abort } from './sending.ts'

/** Uploads are left at each of these points: begun, half sent, and sent. */
const lastActs = ['start file', 'send file', 'send replacement', 'send asset', 'send parts', 'send mismatch']

/**
 * Aborts what is open and has time left, begins new uploads, which have little, and waits until the time of all of them
 * is over.
 */
export async function leaveUploadsToExpire({ actors }: Run): Promise<void> {
  await Promise.all(actors.map(abortAll))
  await Promise.all(
    actors.slice(0, lastActs.length).map((actor, index) => leaveOne(actor, lastActs[index] ?? '')),
  )
  await Promise.all(actors.map(untilExpired))
}

async function abortAll(actor: Actor): Promise<void> {
  for (const upload of openUploads(actor))
    if (upload.expires_at > Date.now() / 1_000 + 10) await actor.perform(abort(actor, upload))
}

async function leaveOne(actor: Actor, kind: string): Promise<void> {
  const step = await prepared(actor, kind)
  if (step) await actor.perform(step)
}

/** Waits for the time that each upload names, and then until the service says that it is over. */
async function untilExpired(actor: Actor): Promise<void> {
  for (const { id, expires_at } of openUploads(actor)) {
    await setTimeout(expires_at * 1_000 - Date.now())
    let code: string | undefined
    while (code !== 'UPLOAD_EXPIRED' && code !== 'UPLOAD_NOT_FOUND')
      code = codeOf(await readsUpload(actor.user, id).send(actor.wire))
  }
}
