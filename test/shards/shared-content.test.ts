import { beforeAll, describe, expect, inject, it } from 'vitest'
import { branchAsset } from '../../src/features/assets/branch.ts'
import { deleteVersion } from '../../src/features/assets/delete-version.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { pairWithBucket } from '../../src/platform/storage/pairing.ts'
import { Turns } from '../proofs/pairs/turns.ts'
import { asset, there, version } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { expectInPlace, expectNothingSuperfluous, expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, jobIn, runJobIn } from '../support/objects.ts'
import { seeded } from '../support/seeded.ts'
import { Gate } from './content/gates.ts'
import {
  branching,
  collecting,
  databaseNameOf,
  databases,
  inTurns,
  type Known,
  missing,
  oneOf,
  outcomeOf,
  purging,
  purgingByTheJob,
  rollingBack,
  type Task,
  wait,
  waitingContents,
} from './content/tasks.ts'

const { seed: firstSeed, amount } = inject('proof')
const ROUNDS = amount || 4
const PHASES = 4

/** A long run stops at every call, a short run at each twelfth. */
const STEP = amount ? 1 : 12

/** After this many rounds the job runs until it is idle, and no superfluous row or object may be left. */
const ROUNDS_TO_REST = 12

/** The outcomes of all rounds. A run without some outcome fails. */
const met = new Map<string, number>()
const meet = (what: string, times = 1) => met.set(what, (met.get(what) ?? 0) + times)

/** A round: a user's content, and users of all databases who branch it while it is created and removed. */
class Round {
  readonly #random: () => number
  readonly users = Array.from({ length: 6 }, newUserId)
  readonly #assets: Known[] = []

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  async run(): Promise<void> {
    for (const owner of this.users.slice(0, 2))
      this.#assets.push({ id: (await asset(contextOf(owner), 'source', 'public')).id, owner })
    for (let phase = 0; phase < PHASES; phase++) {
      await wait()
      await this.#together(Array.from({ length: 2 + Math.floor(this.#random() * 3) }, () => this.#task()))
      expect(await missing(), 'what is served is there').toEqual([])
      await expectInPlace()
      meet('waiting', (await waitingContents()).length)
    }
  }

  #task(): Task {
    const known = oneOf(this.#assets, this.#random)
    const user = oneOf(this.users, this.#random)
    const database = oneOf(databases, this.#random)
    const kind = this.#random()
    if (kind < 0.35) return branching(user, known, this.#assets)
    if (kind < 0.65) return collecting(database)
    if (kind < 0.85) return purging(known)
    if (kind < 0.9) return purgingByTheJob(database)
    if (kind < 0.97) return rollingBack(known)
    return { name: 'erase', act: (through) => eraseUser(through(contextOf(user)), user) }
  }

  /** Runs tasks concurrently, one call at a time, in a seeded order. */
  async #together(tasks: Task[]): Promise<void> {
    const turns = new Turns(tasks.length, (end) => Math.floor(this.#random() * end))
    const lives = tasks.map(() => {
      const dies_at = this.#random() < 0.3 ? 1 + Math.floor(this.#random() * 6) : Number.POSITIVE_INFINITY
      return { dies_at, when: this.#random() < 0.5 ? ('before' as const) : ('after' as const) }
    })
    const outcomes = await Promise.all(
      tasks.map((task, index) => {
        const { dies_at = 0, when = 'before' } = lives[index] ?? {}
        const through = inTurns(() => turns.wait(index), dies_at, when)
        return outcomeOf(turns.of(() => task.act(through)))
      }),
    )
    for (const [index, outcome] of outcomes.entries()) meet(`${tasks[index]?.name}: ${outcome}`)
  }
}

/** How many days a rest takes. The job relies for 30 days at most on what is behind a hint. */
const DAYS_OF_REST = 150
let rests = 0

/**
 * Days go by without requests: the job removes the markers and hints of branches that have ended under way. Then
 * everything is erased, and nothing is left in the bucket. One rest follows another, since the job’s walks don’t go
 * back.
 */
async function rest(users: string[]): Promise<void> {
  const day = rests++ * DAYS_OF_REST
  for (const later of [1, 2, 35, 70]) await runJobIn(day + later)
  expect(await missing()).toEqual([])
  await expectRecordsAndObjectsAgree()
  await expectNothingSuperfluous()
  await expectSound(...users)
  for (const user of users) await eraseUser(contextOf(user), user)
  for (const later of [71, 72, 105, 140]) await runJobIn(day + later)
  await expectRecordsAndObjectsAgree()
  await expectNothingSuperfluous()
}

describe('content that branches share over several databases', () => {
  // No two runs of one database’s job come together, so none of them waits for the other’s marker.
  beforeAll(async () => {
    for (const name of databases) await pairWithBucket(jobIn(0, name))
    // From its first run on, the job learns which markers to remove from those who purge branches.
    await runJobIn(0)
  })

  it(`is there as long as anything has it, and no longer, whatever comes together: ${ROUNDS} rounds`, {
    tags: 'release',
    timeout: 3_600_000,
  }, async () => {
    const users: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const seed = firstSeed + round
      try {
        const one = new Round(seed)
        users.push(...one.users)
        await one.run()
        if ((round + 1) % ROUNDS_TO_REST === 0 || round + 1 === ROUNDS) await rest(users.splice(0))
      } catch (error) {
        throw new Error(`round ${round}, seed ${seed}`, { cause: error })
      }
    }
    console.log([...met].map(([what, times]) => `${what} ${times}`).join(', '))
    for (const what of ['branch: done', 'branch: died', 'purge: done', 'the job collects: died', 'waiting'])
      expect(met.get(what), what).toBeGreaterThan(0)
    // Each call to a local binding takes a few milliseconds; a round makes some thousands.
  })

  /** Users of content that is about to be removed, with their actions in order. */
  const comers: Record<string, (scene: Scene) => Task[]> = {
    'somebody in a third database': ({ carol, branch, assets }) => [branching(carol, branch, assets)],
    'its own user': ({ ada, branch, assets }) => [branching(ada, branch, assets)],
    'its own user, and somebody who branches that, and then it is purged': ({
      ada,
      carol,
      branch,
      assets,
    }) => [
      branching(ada, branch, assets),
      { name: 'branch', act: (through) => branching(carol, there(assets[2]), assets).act(through) },
      { name: 'purge', act: (through) => purging(there(assets[2])).act(through) },
    ],
  }

  /** Users of all these scenes. */
  const present: string[] = []

  it.each(Object.keys(comers))(
    'exists for %s, in every order of calls',
    async (who) => {
      let isMore = true
      for (let stop = 1 + (firstSeed % STEP); isMore; stop += STEP) {
        isMore = false
        let isMoreOfTheJob = true
        for (let pause = 1 + (stop % STEP); isMoreOfTheJob; pause += STEP) {
          const scene = await sceneOfGoing()
          present.push(scene.ada, scene.bob, scene.carol)
          const [comer, job] = [new Gate(stop), new Gate(pause)]
          const goOn = await comer.begin(async () => {
            for (const { act } of comers[who]?.(scene) ?? []) await act(comer.through)
          })
          await purging(scene.branch).act((work) => work)
          await collecting(databaseNameOf(scene.bob)).act((work) => work)
          await wait()
          const finish = await job.begin(() => collecting(databaseNameOf(scene.ada)).act(job.through))
          await goOn()
          await finish()
          expect(await missing(), `stopped at call ${stop}, the job at call ${pause}`).toEqual([])
          isMore ||= comer.wasReached
          isMoreOfTheJob = job.wasReached
        }
      }
      // Some hundred scenes of some dozen calls.
    },
    600_000,
  )

  it('leaves nothing behind once those who had it are erased, whoever came to it meanwhile', async () => {
    await rest(present.splice(0))
  }, 600_000)

  it('is there for a branch in another database, or the branch is refused, at whatever call its version is deleted', async () => {
    let isMore = true
    for (let stop = 1; isMore; stop++) {
      const [ada, carol] = [newUserId(), newUserId()]
      const source = { id: (await asset(contextOf(ada), 'source', 'public')).id, owner: ada }
      const comer = new Gate(stop)
      const goOn = await comer.begin(() =>
        branchAsset(comer.through(contextOf(carol)), source.id, { name: 'branch', from_version: 1 }).catch(
          (error: unknown) => expect(error).toMatchObject({ code: 'VERSION_NOT_FOUND' }),
        ),
      )
      await version(contextOf(ada), source.id)
      await deleteVersion(contextOf(ada), source.id, 1)
      await wait()
      await collecting(databaseNameOf(ada)).act((work) => work)
      await goOn()
      expect(await missing(), `stopped at call ${stop}`).toEqual([])
      isMore = comer.wasReached
    }
  }, 120_000)

  it('is not branched by its own user when it is removed after the source was read', async () => {
    const others = await waitingContents()
    const { ada, bob, branch, assets } = await sceneOfGoing()
    const beforeTheBranch = new Gate(4)
    const goOn = await beforeTheBranch.begin(() =>
      branching(ada, branch, assets).act(beforeTheBranch.through),
    )
    await purging(branch).act((work) => work)
    for (const user of [bob, ada]) {
      await wait()
      await collecting(databaseNameOf(user)).act((work) => work)
    }
    const left = (await waitingContents()).filter((key) => !others.includes(key))
    expect(left, 'the content is gone').toEqual([])
    await goOn()
    expect([beforeTheBranch.wasReached, assets.length]).toEqual([true, 2])
    expect(await missing()).toEqual([])
  })
})

interface Scene {
  ada: string
  bob: string
  carol: string
  /** Bob's branch of ada's content, which no other asset has any more. */
  branch: Known
  /** Ada's asset, which is purged, and the branch. */
  assets: Known[]
}

/** Content in its owner's deletion queue, which only a branch in another database has. */
async function sceneOfGoing(): Promise<Scene> {
  const [ada, bob, carol] = [newUserId(), newUserId(), newUserId()]
  const source = { id: (await asset(contextOf(ada), 'source', 'public')).id, owner: ada }
  const assets = [source]
  await branching(bob, source, assets).act((work) => work)
  await purging(source).act((work) => work)
  return { ada, bob, carol, branch: there(assets[1]), assets }
}
