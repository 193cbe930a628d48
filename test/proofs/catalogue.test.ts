import { sql } from 'drizzle-orm'
import { expect, inject, it } from 'vitest'
import { createAsset } from '../../src/features/assets/create.ts'
import { deleteAsset } from '../../src/features/assets/delete.ts'
import { editAsset } from '../../src/features/assets/edit.ts'
import { restoreAsset } from '../../src/features/assets/restore.ts'
import { walkEntries } from '../../src/features/catalogue/compare.ts'
import { applyMarks } from '../../src/features/catalogue/tasks.ts'
import { rebuildPart } from '../../src/operators/catalogue/rebuild.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { blockAsset, unblockAsset } from '../../src/operators/moderation/block.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { catalogueFaults, expectCatalogueDone, isShownAnywhere } from '../support/catalogue.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { databaseNames } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'
import { atEachCall } from '../support/mortal.ts'
import { moveAll } from '../support/moving.ts'
import { runJobIn } from '../support/objects.ts'
import { seeded } from '../support/seeded.ts'
import { Unsteady } from './unsteady.ts'

/** How many operations come between two quiet times, at which the catalogue is held against the assets. */
const OPERATIONS = 100
const MOST_PENDING = 6
const HOT = 2
const ODDS = { lost: 0.04, deaf: 0.03, repeated: 0.02, waits: 0.2, killed: 0.2 }
/** After this time no call of a cut off Worker arrives, and rows of removed entries go. */
const TWO_HOURS = 1 / 12

interface Asset {
  id: string
  owner: string
  /** How many more changes are made to it. A change mends what an earlier one has left wrong: of one without more nothing does. */
  changes: number
  /** Whether a removal was the last change that was begun, and was answered. */
  isRemoved: boolean
  /** Whether a removal ended without an answer since the last quiet time. */
  isDoubtful: boolean
}

class Trial {
  readonly #random: () => number
  readonly #unsteady: Unsteady
  #assets: Asset[] = []
  readonly #owners: string[] = []
  #made = 0

  constructor(seed: number) {
    this.#random = seeded(seed)
    this.#unsteady = new Unsteady(this.#random, ODDS)
  }

  #one<Value>(values: readonly Value[]): Value {
    const value = values[Math.floor(this.#random() * values.length)]
    if (value === undefined) throw new Error('nothing to choose from')
    return value
  }

  #work(owner: string): RequestContext {
    const work = contextOf(owner)
    const unsteady = atEachCall(work, this.#unsteady.around)
    // What goes on after the answer is a Worker of its own.
    const later: RequestContext['afterwards'] = (act) => void act(unsteady).catch(() => {})
    return { ...unsteady, afterwards: later }
  }

  /** Takes a step: begins an operation, or lets one go on. */
  async step(): Promise<void> {
    const { pending } = this.#unsteady
    if (pending >= MOST_PENDING || (pending > 0 && this.#random() < 0.4)) await this.#unsteady.resume()
    else await this.#begin()
  }

  async #begin(): Promise<void> {
    const drawn = this.#random()
    const changing = this.#assets.filter(({ changes }) => changes > 0)
    if (changing.length < 8 || drawn < 0.12) return this.#create()
    if (drawn < 0.3) return this.#unsteady.begin(orRefused(this.#applier()))
    if (drawn < 0.31) return this.#erase()
    // Most changes meet on a few assets, while calls of earlier ones wait.
    return this.#change(this.#one(changing.slice(this.#random() < 0.7 ? -HOT : 0)))
  }

  async #create(): Promise<void> {
    if (this.#owners.length < 4 || this.#random() < 0.05) this.#owners.push(newUserId())
    const owner = this.#one(this.#owners)
    const work = this.#work(owner)
    const visibility = this.#random() < 0.7 ? 'public' : 'private'
    const name = `Thing ${this.#made++}`
    const changes = this.#random() < 0.8 ? 1 : Number.POSITIVE_INFINITY
    await this.#unsteady.begin(
      orRefused(async () => {
        const { id } = await createAsset(work, { name, type: this.#one(['world', 'prop']), visibility })
        this.#assets.push({ id, owner, changes, isRemoved: false, isDoubtful: false })
      }),
    )
  }

  /** A job, a receiver of the queue, or an operator, who write entries. */
  #applier(): () => Promise<unknown> {
    const name = this.#one(databaseNames)
    const work = atEachCall(contextOf('nobody'), this.#unsteady.around)
    const rebuild = (of: 'assets' | 'entries') => rebuildPart(work, { of, database: name })
    // A rebuild mends what others have broken, so it is rare.
    if (this.#random() < 0.95) return () => applyMarks(work, name)
    return this.#one([
      () => walkEntries(work, { after: null }),
      () => rebuild('assets'),
      () => rebuild('entries'),
    ])
  }

  async #erase(): Promise<void> {
    const owner = this.#one(this.#owners)
    const work = this.#work('operator')
    await this.#unsteady.begin(orRefused(() => eraseUser(work, owner)))
  }

  async #change(asset: Asset): Promise<void> {
    const { id, owner } = asset
    asset.changes--
    const work = this.#work(owner)
    const removals = [
      () => editAsset(work, id, { visibility: 'private' }),
      () => editAsset(work, id, { listed: false, name: `Thing ${this.#made++}` }),
      () => blockAsset(work, id),
      () => deleteAsset(work, id),
    ]
    const others = [
      () => editAsset(work, id, { visibility: 'public' }),
      () =>
        editAsset(work, id, { listed: true, tags: ['horror', 'maze'].slice(Math.floor(this.#random() * 3)) }),
      () => unblockAsset(work, id),
      () => restoreAsset(work, id, {}),
      () => editAsset(work, id, { name: `Thing ${this.#made++}` }),
      () => editAsset(work, id, { rating: this.#one(['everyone', 'teen', 'mature']) }),
      () => this.#recount(work, id),
    ]
    if (this.#random() < 0.01) removals.push(() => deleteAsset(work, id, { permanent: true }))
    if (this.#random() < 0.4) return this.#remove(asset, this.#one(removals))
    asset.isRemoved = false
    await this.#unsteady.begin(orRefused(this.#one(others)))
  }

  async #remove(asset: Asset, act: () => Promise<unknown>): Promise<void> {
    asset.isRemoved = false
    const isDoubtful = asset.isDoubtful
    asset.isDoubtful = true
    const changes = asset
    await this.#unsteady.begin(
      orRefused(async () => {
        await act()
        changes.isDoubtful = isDoubtful
        changes.isRemoved = true
      }),
    )
  }

  /** Favorites are counted again, and a version comes in, as the statements of others write it. */
  async #recount(work: RequestContext, id: string): Promise<void> {
    const favorites = Math.floor(this.#random() * 50)
    await work.databases.of(id).write(
      this.#random() < 0.5
        ? sql`UPDATE game_assets SET favorites = ${favorites}, recounts = recounts + 1 WHERE id = ${id}`
        : sql`UPDATE game_assets SET current_version = current_version + 1, revision = revision + 1,
            updated_at = updated_at + 1 WHERE id = ${id}`,
    )
  }

  /** Fails if a page shows an asset whose removal was answered. */
  async expectRemoved(): Promise<void> {
    const removed = this.#assets.filter(({ isRemoved }) => isRemoved).map(({ id }) => id)
    expect(await isShownAnywhere(removed), 'removed, and shown').toEqual([])
  }

  /** Ends or kills all that goes on, lets the job finish, and holds the catalogue against the assets. */
  async rest(): Promise<void> {
    while (this.#unsteady.pending > 0 && this.#random() < 0.9) await this.#unsteady.resume()
    this.#unsteady.kill()
    if (databaseNames.length > 1 && this.#random() < 0.3) await this.#move()
    for (const name of databaseNames)
      while ((await applyMarks({ databases: databasesOver(), now_ms: Date.now() }, name)) > 0);
    const doubtful = this.#assets.filter(({ isDoubtful }) => isDoubtful).map(({ id }) => id)
    const faults = await catalogueFaults()
    // What a removal took out that was cut off comes back within an hour.
    expect(
      faults.filter(
        (fault) => !(fault.includes('removed instead') && doubtful.some((id) => fault.startsWith(id))),
      ),
      'what the marks have left',
    ).toEqual([])
    await runJobIn(TWO_HOURS)
    await expectCatalogueDone()
    for (const asset of this.#assets) Object.assign(asset, { isDoubtful: false, isRemoved: false })
    if (this.#assets.length > 60) this.#assets = this.#assets.slice(-40)
  }

  async #move(): Promise<void> {
    const partition = partitionOf(this.#one(this.#owners))
    await moveAll({ first: partition, last: partition }, this.#one(databaseNames))
  }
}

/** The work, whose refusals are answers. */
function orRefused(work: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
}

const { amount, seed, brief } = inject('proof')

it('the catalogue is what the assets say, whatever is slow, lost, repeated or cut off', async () => {
  const trial = new Trial(seed)
  const total = amount || (brief ? 60 : 120)
  for (let done = 0; done < total; ) {
    for (let steps = 0; steps < Math.min(OPERATIONS, total); steps++, done++) {
      await trial.step()
      if (steps % 10 === 9) await trial.expectRemoved()
    }
    await trial.rest()
    if (amount > 0 && done % 1_000 === 0) console.log(`${done} operations`)
  }
})
