import { expect } from 'vitest'
import { type Act, codeOf, type Requests } from '../../proofs/model/act.ts'
import { listing } from '../../proofs/model/looking.ts'
import { settled } from '../../proofs/model/records.ts'
import { listsSharesOf } from '../../proofs/model/shares.ts'
import type { World } from '../../proofs/model/state.ts'
import { readsUpload } from '../../proofs/model/uploads.ts'
import type { Actor } from './actor.ts'
import { forgetExpired } from './expired.ts'
import { explained, type Heard, outcomes, requireSeen } from './explain.ts'
import type { Figures } from './figures.ts'
import { idsIn, type Step } from './step.ts'

/** As many of the latest uploads that have ended are looked at again as this, for each actor. */
const LATEST = 3

/**
 * After a restart: everybody recovers, and those last who had the job run, because it takes away what the others may
 * still have to find out about.
 */
export async function recoverAll(actors: Actor[], figures: Figures): Promise<void> {
  const wasRunningJob = ({ pending }: Actor) => pending?.step.kind === 'run the job'
  const [last, first] = [actors.filter(wasRunningJob), actors.filter((actor) => !wasRunningJob(actor))]
  await Promise.all(first.map((actor) => recover(actor, figures)))
  for (const actor of last) await recover(actor, figures)
  await Promise.all(
    actors.map((actor) => actor.run.blaming(actor, 'expired uploads', () => forgetExpired(actor))),
  )
}

/**
 * Everything that the service shows a user, found by going through the lists: not by asking for what is expected. Only
 * shares and uploads, which no list of their owner's shows, are asked for: those that are known, and shares of what the
 * last act names. Any other share would show with its grantee.
 */
function looks({ model, user }: Actor, says = ''): Act<Requests>[] {
  const uploads = [...model.uploads.values()]
  const ended = uploads.filter(({ state }) => state !== 'open').slice(-LATEST)
  const shared = [...model.shares.values()].map(({ file_id }) => file_id)
  const files = new Set([...idsIn(says), ...shared].filter((id) => model.items.has(id)))
  return [
    ...listing(model, user),
    ...[...files].map((id) => listsSharesOf(user, id)),
    ...[...uploads.filter(({ state }) => state === 'open'), ...ended].map(({ id }) => readsUpload(user, id)),
  ]
}

/**
 * After a restart, for one actor: what was acknowledged is there, the request that was cut off has happened as a whole
 * or not at all, and repeating it leads to one effect and to the answer that is due.
 */
async function recover(actor: Actor, figures: Figures): Promise<void> {
  const { pending, run } = actor
  await run.blaming(actor, pending?.act.says ?? 'after the restart', async () => {
    await forgetExpired(actor)
    if (pending) await repeat(actor, pending, figures)
    else await actor.requireSeen(looks(actor))
    actor.model.limits = run.limits
  })
  await repeatLast(actor)
  figures.checks++
}

async function repeat(actor: Actor, pending: NonNullable<Actor['pending']>, figures: Figures): Promise<void> {
  const { step } = pending
  const { says } = step.act
  const seen = await actor.look(looks(actor, says))
  const repeated = await actor.hear(step.act, `again: ${says}`)
  if (!repeated) throw new Error('no answer')
  const before = withoutCompleting(actor.model, step, seen)
  const { fate, world } = explained(actor.model, pending, {
    repeated,
    limits: actor.run.limits,
    fits: (world) => requireSeen(world, step.kind === 'erase' ? ofDatabase(before) : before),
  })
  if (step.kind === 'erase') requireOneOf([actor.model, world], before.filter(isOfInbox))
  actor.follow(world)
  actor.pending = undefined
  await forgetExpired(actor)
  await actor.requireSeen(looks(actor, says))
  await step.afterwards?.(repeated.answer)
  figures.resolved(step.kind, fate)
}

/** That completion is under way is noted in the file, and is all there may be of it. */
function withoutCompleting(model: World, { kind, act }: Step, seen: Heard[]): Heard[] {
  if (!kind.startsWith('complete ')) return seen
  const targets = new Set(idsIn(act.says).map((id) => model.uploads.get(id)?.file_id))
  return seen.map((heard) =>
    heard.answer.text === ''
      ? heard
      : { ...heard, answer: settled(heard.answer, ({ id }) => typeof id === 'string' && targets.has(id)) },
  )
}

/** Of an erasure that was cut off: in the database all is there or nothing, and so it is in the inbox. */
const isOfInbox = ({ act }: Heard) => act.says.includes('lists notifications')
const ofDatabase = (seen: Heard[]) => seen.filter((heard) => !isOfInbox(heard))

function requireOneOf(worlds: World[], seen: Heard[]): void {
  const isRight = worlds.some((world) => {
    try {
      requireSeen(world, seen)
      return true
    } catch {
      return false
    }
  })
  expect(isRight, 'the inbox of an erased user is there or is empty').toBe(true)
}

/** An acknowledged creation, repeated with its key, answers with what it made. That nothing new is made shows later. */
async function repeatLast(actor: Actor): Promise<void> {
  const { made, run } = actor
  if (!made) return
  await run.blaming(actor, made.act.says, async () => {
    const heard = await actor.hear(made.act, `once more: ${made.act.says}`)
    if (!heard) throw new Error('no answer')
    // The job of another actor may take an upload away at this moment.
    const code = codeOf(heard.answer)
    if (code === 'UPLOAD_NOT_FOUND' || code === 'UPLOAD_EXPIRED') await forgetExpired(actor)
    const [after = actor.model] = outcomes(actor.model, heard)
    actor.follow(after)
  })
}
