import { type Actor, idOf } from './actor.ts'
import type { Figures } from './figures.ts'
import { observed } from './observe.ts'
import { ItemRecord, Quota } from './records.ts'
import { type Difference, differences, told, type View } from './view.ts'
import { codeOf } from './wire.ts'

/** As many of the latest uploads that have ended are looked at again as this, for each actor. */
const LATEST = 3

/**
 * After a restart: everybody recovers, and those last who had the job run, because it takes away what the others may
 * still have to find out about.
 */
export async function recoverAll(actors: Actor[], figures: Figures): Promise<void> {
  const wasRunningJob = ({ pending }: Actor) => pending?.kind === 'run the job'
  const [last, first] = [actors.filter(wasRunningJob), actors.filter((actor) => !wasRunningJob(actor))]
  await Promise.all(first.map((actor) => recover(actor, figures)))
  for (const actor of last) await recover(actor, figures)
  await Promise.all(
    actors.map((actor) => actor.world.blaming(actor, 'expired uploads', () => forgetExpired(actor))),
  )
}

/**
 * After a restart, for one actor: what was acknowledged is there, the request that was cut off has happened as a whole
 * or not at all, and repeating it leads to one effect and to the answer that is due.
 */
async function recover(actor: Actor, figures: Figures): Promise<void> {
  const { wire, world, pending } = actor
  await world.blaming(actor, pending ?? 'after the restart', async () => {
    for (const id of [...actor.ledger.ended.keys()].slice(0, -LATEST)) actor.ledger.ended.delete(id)
    await forgetExpired(actor)
    const before = await observed(wire, actor.ledger, pending?.request.about)
    const promised = actor.ledger.view()
    pending?.disregard?.(before)
    if (!pending) return requireSame(promised, before, 'what was acknowledged is there')

    const wasErasing = pending.kind === 'erase'
    const hasHappened = differences(promised, before).length > 0
    const answer = await wire.send({ ...pending.request, intent: `again: ${pending.request.intent}` })
    if (!answer) throw new Error('no answer')
    await pending.settle(answer, 'again')
    actor.pending = undefined
    await forgetExpired(actor)

    const due = actor.ledger.view()
    requireSame(
      due,
      await observed(actor.wire, actor.ledger, pending.request.about),
      'after its repetition it has happened once',
    )
    if (hasHappened && wasErasing) requireHalves(promised, before)
    else if (hasHappened)
      requireSame(...withoutTimes(promised, due, before), 'it has happened as a whole, or not at all')
    const isThere = hasHappened || answer.status === 412 // content that was sent shows by its refusal only
    const hasEffect =
      differences(promised, knownAt(promised, due)).length > 0 || pending.kind.startsWith('send ')
    figures.resolved(pending.kind, isThere ? 'had happened' : hasEffect ? 'had not' : 'left no trace')
  })
  await repeatLast(actor)
  figures.checks++
}

/** An acknowledged creation, repeated with its key, answers with what it made. That nothing new is made shows later. */
async function repeatLast(actor: Actor): Promise<void> {
  const { made, wire, world } = actor
  if (!made) return
  await world.blaming(actor, made.act, async () => {
    const answer = await wire.send({ ...made.act.request, intent: `once more: ${made.act.request.intent}` })
    if (!answer) throw new Error('no answer')
    const isGone = codeOf(answer)?.endsWith('_NOT_FOUND') || codeOf(answer) === 'UPLOAD_EXPIRED'
    if (!isGone && idOf(answer.body) !== made.id)
      throw new Error(`it made ${made.id}, and answered ${answer.status} ${JSON.stringify(answer.body)}`)
  })
}

/** Uploads whose time is over may have gone with the job, and must have if it has run since. */
async function forgetExpired({ ledger, wire, world }: Actor): Promise<void> {
  for (const upload of [...ledger.uploads.values()]) {
    const expiry = upload.expires_at * 1_000
    if (expiry > Date.now()) continue
    const code = codeOf(await wire.read(`/uploads/${upload.id}`))
    if (code === 'UPLOAD_NOT_FOUND') ledger.forgetUpload(upload)
    else if (world.jobRanAt > expiry + 1_000)
      throw new Error(`upload ${upload.id} expired, the job has run since, and it is still there: ${code}`)
  }
}

/** The quota is what the journal gives; what was deleted for good may be counted until the job has run. */
export async function requireCounted({ ledger, wire }: Pick<Actor, 'ledger' | 'wire'>): Promise<void> {
  const { used_bytes } = await wire.see(Quota, '/quota')
  const promised = ledger.used_bytes
  const owed = ledger.owed.reduce((sum, { bytes }) => sum + bytes, 0)
  if (used_bytes < promised || used_bytes > promised + owed)
    throw new Error(
      `${used_bytes} bytes are counted, the journal gives ${promised}, and ${owed} to be released`,
    )
}

export function requireSame(expected: View, observed: View, promise: string): void {
  const found = differences(expected, observed)
  if (found.length > 0) throw new Error(`not so: ${promise}\n  ${told(found)}`)
}

/** Of an erasure that was cut off: in the database all is there or nothing, and so it is in the inbox. */
function requireHalves(promised: View, before: View): void {
  const isOfInbox = (name: string) => name.startsWith('notification') || name === 'unread'
  for (const part of [isOfInbox, (name: string) => !isOfInbox(name)]) {
    const left = [...before].filter(([name, value]) => part(name) && value !== 0)
    const had = [...promised].filter(([name, value]) => part(name) && value !== 0)
    const nothing = differences(new Map(), new Map(left))
    const torn: Difference[] = differences(new Map(had), new Map(left))
    if (nothing.length > 0 && torn.length > 0) throw new Error(`half erased\n  ${told(torn)}`)
  }
}

/** Without the upload that a request has begun, whose id nobody knew before it answered. */
function knownAt(promised: View, due: View): View {
  return new Map([...due].filter(([name]) => !name.startsWith('upload ') || promised.has(name)))
}

/**
 * What is due and what was found, without the times of what the request has changed: repeating a change is one more
 * change, later.
 */
function withoutTimes(promised: View, due: View, before: View): [View, View] {
  const known = knownAt(promised, due)
  const changed = new Set(differences(promised, due).map(({ name }) => name))
  const timeless = (view: View): View =>
    new Map([...view].map(([name, value]) => [name, changed.has(name) ? withoutTime(value) : value]))
  return [timeless(known), timeless(before)]
}

function withoutTime(value: unknown): unknown {
  const record = ItemRecord.pick({ updated_at: true }).loose().safeParse(value).data
  if (!record) return value
  const { updated_at: _, ...rest } = record
  return rest
}
