import type { Act } from './act.ts'
import type { Actor } from './actor.ts'
import { prepared } from './habits.ts'
import { abort } from './upload-acts.ts'
import { codeOf } from './wire.ts'
import type { World } from './world.ts'

/** Uploads are left at each of these points: begun, half sent, and sent. */
const lastActs = ['start file', 'send file', 'send replacement', 'send asset', 'send parts', 'send mismatch']

/**
 * Aborts what is open and has time left, begins new uploads, which have little, and waits until the time of all of them
 * is over.
 */
export async function leaveUploadsToExpire({ actors }: World): Promise<void> {
  await Promise.all(actors.map(abortAll))
  await Promise.all(
    actors.slice(0, lastActs.length).map((actor, index) => leaveOne(actor, lastActs[index] ?? '')),
  )
  await Promise.all(actors.map(untilExpired))
}

async function abortAll(actor: Actor): Promise<void> {
  for (const upload of [...actor.ledger.uploads.values()])
    if (upload.expires_at > Date.now() / 1_000 + 10) await actor.perform(abort(actor, upload))
}

async function leaveOne(actor: Actor, kind: string): Promise<void> {
  const act: Act | undefined = await prepared(actor, kind)
  if (act) await actor.perform(act)
}

async function untilExpired({ ledger, wire }: Actor): Promise<void> {
  for (const { id } of ledger.uploads.values()) {
    let code: string | undefined
    while (code !== 'UPLOAD_EXPIRED' && code !== 'UPLOAD_NOT_FOUND')
      code = codeOf(await wire.read(`/uploads/${id}`))
  }
}
