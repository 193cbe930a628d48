import { branchAsset } from '../../../src/features/assets/branch.ts'
import { deleteAsset } from '../../../src/features/assets/delete.ts'
import { editAsset } from '../../../src/features/assets/edit.ts'
import { rollBack } from '../../../src/features/assets/rollback.ts'
import { purgeAssets } from '../../../src/features/assets/tasks.ts'
import { collectGarbage } from '../../../src/features/content/collect-garbage.ts'
import type { JobContext, StepContext } from '../../../src/platform/context.ts'
import { partitionNumber } from '../../../src/platform/db/id.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { pairWithBucket } from '../../../src/platform/storage/pairing.ts'
import { there } from '../../support/acts.ts'
import { contextOf } from '../../support/context.ts'
import { databaseNames, everywhere } from '../../support/databases.ts'
import { keysInBucket } from '../../support/invariants.ts'
import { atEachCall, type Mortal } from '../../support/mortal.ts'
import { jobIn } from '../../support/objects.ts'

/** A user's context in a Worker, before the choice whether and when it is killed. */
type Through = <Work extends Mortal>(work: Work) => Work

/** An action of one Worker, in a few calls. */
export interface Task {
  name: string
  act: (through: Through) => Promise<unknown>
}

/** An asset made in this round. It may have been removed. */
export interface Known {
  id: string
  owner: string
}

/** Branches an asset for a user, and publishes the branch, so that others can branch it. */
export function branching(user_id: string, source: Known, assets: Known[]): Task {
  return {
    name: 'branch',
    act: async (through) => {
      const work = through(contextOf(user_id))
      const { asset } = await branchAsset(work, source.id, { name: crypto.randomUUID() })
      assets.push({ id: asset.id, owner: user_id })
      await editAsset(work, asset.id, { visibility: 'public' })
    },
  }
}

export function rollingBack({ id, owner }: Known): Task {
  return { name: 'roll back', act: (through) => rollBack(through(contextOf(owner)), id, { from_version: 1 }) }
}

export function purging({ id, owner }: Known): Task {
  return {
    name: 'purge',
    act: (through) => deleteAsset(through(contextOf(owner)), id, { permanent: true }),
  }
}

/** The job's step that finishes a purge after its Worker was killed. */
export function purgingByTheJob(database: string): Task {
  return { name: 'the job purges', act: (through) => purgeAssets(through(jobIn(0, database))) }
}

/** The job's steps for content and markers, until nothing is left to do or the number of turns is used up. */
export function collecting(database: string): Task {
  return {
    name: 'the job collects',
    act: async (through) => {
      const job = through(await paired(jobIn(0, database)))
      for (let steps = 0; steps < 3 && (await collectGarbage(job)) > 0; steps++);
    },
  }
}

async function paired(job: JobContext): Promise<StepContext> {
  return {
    ...job,
    pairing_id: await pairWithBucket(job),
    separately: new Set(),
    asked: new Set(),
    next_at: undefined,
  }
}

/** Advances the time, so that all URLs expire and all queued content is due again. */
export async function wait(): Promise<void> {
  await everywhere('UPDATE garbage SET next_at = 0, writable_until = 0 WHERE owner_id IS NULL')
}

/** The keys of readable content without an object in the bucket. */
export async function missing(): Promise<string[]> {
  const served = await everywhere<{ key: string }>(
    `SELECT DISTINCT object_key AS key FROM asset_versions JOIN game_assets ON game_assets.id = asset_id
    WHERE purging = 0 AND game_assets.created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1)`,
  )
  const there = new Set(await keysInBucket())
  return served.flatMap(({ key }) => (there.has(key) ? [] : [key]))
}

/** How many contents are kept only for versions in other partitions. */
export async function waitingContents(): Promise<string[]> {
  const rows = await everywhere('SELECT object_key FROM garbage WHERE is_version = 1 AND deleting = 0')
  return rows.map(({ object_key }) => String(object_key))
}

/** A Worker that waits for its turn at each call, and may be killed at one. */
export function inTurns(wait: () => Promise<void>, dies_at: number, when: 'before' | 'after'): Through {
  let calls = 0
  return (work) =>
    atEachCall(work, (call) => async (...args) => {
      await wait()
      calls++
      if (calls > dies_at || (calls === dies_at && when === 'before')) throw new Died()
      const answer = await call(...args)
      if (calls === dies_at) throw new Died()
      return answer
    })
}

class Died extends Error {}

/** The outcome of a task. A kill or an error of the API is an outcome too. */
export async function outcomeOf(attempt: Promise<unknown>): Promise<'done' | 'died' | 'refused'> {
  try {
    await attempt
    return 'done'
  } catch (error) {
    if (error instanceof Died || (error instanceof Error && error.cause instanceof Died)) return 'died'
    if (error instanceof ApiError && error.code !== 'INTERNAL') return 'refused'
    throw error
  }
}

/** One of a list, by a number from 0 to 1. */
export function oneOf<Value>(values: readonly Value[], random: () => number): Value {
  return there(values[Math.floor(random() * values.length)])
}

export const databases = databaseNames

/** The name of a user's database, as the partitions are laid out. */
export function databaseNameOf(user_id: string): string {
  return there(databaseNames[partitionNumber(user_id) % databaseNames.length])
}
