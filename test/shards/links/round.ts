import { expect } from 'vitest'
import { branchAsset } from '../../../src/features/assets/branch.ts'
import { deleteAsset } from '../../../src/features/assets/delete.ts'
import { editAsset } from '../../../src/features/assets/edit.ts'
import { checkBranchHints } from '../../../src/features/assets/hints.ts'
import { listBranches } from '../../../src/features/assets/list.ts'
import { checkMarkers } from '../../../src/features/assets/markers.ts'
import { restoreAsset } from '../../../src/features/assets/restore.ts'
import { purgeAssets } from '../../../src/features/assets/tasks.ts'
import { collectGarbage } from '../../../src/features/content/collect-garbage.ts'
import { createShare } from '../../../src/features/shares/create.ts'
import { checkShareHints } from '../../../src/features/shares/hints.ts'
import { listSharedWith } from '../../../src/features/shares/read.ts'
import { revokeShare } from '../../../src/features/shares/revoke.ts'
import { eraseUser } from '../../../src/operators/erasure/erase.ts'
import { moveStep } from '../../../src/operators/shards/mover/move.ts'
import type { RequestContext, StepContext } from '../../../src/platform/context.ts'
import { partitionOf } from '../../../src/platform/db/id.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { pairWithBucket } from '../../../src/platform/storage/pairing.ts'
import { Turns } from '../../proofs/pairs/turns.ts'
import { asset, file } from '../../support/acts.ts'
import { contextOf } from '../../support/context.ts'
import { databaseNames, inDatabase, isMoving } from '../../support/databases.ts'
import { expectInPlace } from '../../support/invariants.ts'
import { endMoves } from '../../support/moving.ts'
import { jobIn } from '../../support/objects.ts'
import { seeded } from '../../support/seeded.ts'
import { missing, oneOf } from '../content/tasks.ts'
import type { Clock } from './clock.ts'
import { type AssetFact, facts, type SharedFact } from './truth.ts'
import { placesOf, type Trouble, Worker } from './worker.ts'

const [PHASES, TASKS] = [4, 6]

/** Ages of hints and markers around those that the job and the requests judge by, in minutes. */
const LATER = [0, 9, 11, 59, 61, 180, 3 * 1_440, 31 * 1_440]

interface Task {
  name: string
  act: (worker: Worker) => Promise<unknown>
  /** Whom the task erases, and the ids that it takes away or brings back. */
  touches?: string[]
  /** What is not shown any more when the task is done. */
  ends?: string[]
}

/** What all rounds together have met, so that a run that meets nothing fails. */
export class Met {
  readonly #times = new Map<string, number>()

  note(what: string, times = 1): void {
    this.#times.set(what, (this.#times.get(what) ?? 0) + times)
  }

  of(what: string): number {
    return this.#times.get(what) ?? 0
  }

  toString(): string {
    return [...this.#times].map(([what, times]) => `${what} ${times}`).join(', ')
  }
}

/** Players of one database and of several share files and branch assets, while everything else happens that may. */
export class Round {
  readonly #random: () => number
  readonly #clock: Clock
  readonly #met: Met
  readonly users: string[]
  readonly #files: { id: string; owner: string }[] = []
  readonly #sources: { id: string; owner: string }[] = []
  /** Branches that were made, whatever became of them. */
  readonly #branches: { id: string; owner: string }[] = []
  /** Shares and branches that nobody may be shown again. */
  readonly #ended = new Set<string>()
  /** In this phase: whom and what the tasks take away or bring back, and the databases whose job runs. */
  #touched = new Set<string>()
  readonly #jobs = new Set<string>()

  constructor(seed: number, clock: Clock, met: Met) {
    this.#random = seeded(seed)
    this.#clock = clock
    this.#met = met
    let number = 0
    const name = () => `player-${seed}-${number++}`
    // Two in the first database, one in each, and a neighbour of the first in the same partition.
    this.users = [databaseNames[0] ?? '', ...databaseNames].map((home) => inDatabase(home, name))
    while (this.users.length < 5) this.users.push(name())
    const [first = ''] = this.users
    let neighbour = name()
    while (partitionOf(neighbour) !== partitionOf(first)) neighbour = name()
    this.users.push(neighbour)
  }

  async run(): Promise<void> {
    for (const owner of this.users.slice(0, 4))
      this.#files.push({ id: (await file(this.#as(owner))).id, owner })
    for (const owner of this.users.slice(0, 3))
      this.#sources.push({ id: (await asset(this.#as(owner), 'source', 'public')).id, owner })
    for (const [owner, isDeleted] of [
      [this.users[3], true],
      [this.users[4], false],
    ] as const)
      await this.#branched(owner ?? '', isDeleted)
    for (let phase = 0; phase < PHASES; phase++) {
      const before = await facts()
      this.#jobs.clear()
      const tasks = Array.from({ length: TASKS }, () => this.#task(before))
      if (databaseNames.length > 1) tasks.push(this.#moving())
      await this.#together(tasks, before)
      const isToEnd = phase + 1 === PHASES || this.#random() < 0.6
      if (await isMoving()) {
        await this.#expectLists()
        if (isToEnd) await endMoves()
      }
      if (isToEnd) {
        await this.#expectLists()
        await expectInPlace()
      }
      expect(await missing(), 'what is served is there').toEqual([])
      this.#clock.goOn(oneOf(LATER, this.#random))
    }
  }

  #as(user_id: string): RequestContext {
    return contextOf(user_id, { now_ms: this.#clock.now_ms })
  }

  /** A branch of the first source, from before the round, perhaps deleted. */
  async #branched(owner: string, isDeleted: boolean): Promise<void> {
    const [source] = this.#sources
    const { asset } = await branchAsset(this.#as(owner), source?.id ?? '', { name: 'branch' })
    this.#branches.push({ id: asset.id, owner })
    if (isDeleted) await deleteAsset(this.#as(owner), asset.id)
  }

  #user(): string {
    return oneOf(this.users, this.#random)
  }

  #task({ shares, assets }: { shares: SharedFact[]; assets: AssetFact[] }): Task {
    const kind = this.#random()
    const user = this.#user()
    if (kind < 0.22) return this.#sharing(oneOf(this.#files, this.#random), user)
    if (kind < 0.3 && shares.length > 0) return this.#revoking(oneOf(shares, this.#random))
    if (kind < 0.5) {
      const live = assets.filter(({ owner_id }) => this.users.includes(owner_id))
      const known: { id: string }[] = [...this.#sources, ...this.#branches]
      return this.#branching(
        oneOf(live.length > 0 && this.#random() < 0.9 ? live : known, this.#random),
        user,
      )
    }
    if (kind < 0.68 && this.#branches.length > 0) {
      const deleted = this.#branches.filter(({ id }) => !assets.some((one) => one.id === id))
      if (deleted.length > 0 && this.#random() < 0.6) return this.#restoring(oneOf(deleted, this.#random))
      return this.#deleting(oneOf(this.#branches, this.#random), this.#random() < 0.2)
    }
    if (kind < 0.7) return this.#deleting(oneOf(this.#sources, this.#random), this.#random() < 0.5)
    if (kind < 0.73) return this.#erasing(user, shares)
    if (kind < 0.84) return this.#listing(shares)
    const name = oneOf(databaseNames, this.#random)
    // A database has one run of its job at a time.
    if (this.#jobs.has(name)) return this.#listing(shares)
    this.#jobs.add(name)
    return this.#job(name)
  }

  #sharing({ id, owner }: { id: string; owner: string }, grantee_id: string): Task {
    return {
      name: 'share',
      act: (worker) => createShare(worker.request(owner), id, { grantee_id, permission: 'view' }),
    }
  }

  #revoking({ id, owner_id, grantee_id }: SharedFact): Task {
    const user = this.#random() < 0.5 ? owner_id : grantee_id
    return {
      name: 'revoke',
      act: (worker) => revokeShare(worker.request(user), id),
      touches: [id],
      ends: [id],
    }
  }

  #branching(source: { id: string }, user: string): Task {
    const isPublic = this.#random() < 0.6
    const name = `branch ${this.#random()}`
    return {
      name: 'branch',
      act: async (worker) => {
        const work = worker.request(user)
        const { asset } = await branchAsset(work, source.id, { name })
        this.#branches.push({ id: asset.id, owner: user })
        if (isPublic) await editAsset(work, asset.id, { visibility: 'public' })
      },
    }
  }

  #deleting({ id, owner }: { id: string; owner: string }, permanent: boolean): Task {
    return {
      name: permanent ? 'purge' : 'delete',
      act: (worker) => deleteAsset(worker.request(owner), id, { permanent }),
      touches: [id],
      ...(permanent && { ends: [id] }),
    }
  }

  #restoring({ id, owner }: { id: string; owner: string }): Task {
    return { name: 'restore', act: (worker) => restoreAsset(worker.request(owner), id, {}), touches: [id] }
  }

  #erasing(user: string, shares: SharedFact[]): Task {
    const ended = shares.filter(({ owner_id, grantee_id }) => owner_id === user || grantee_id === user)
    return {
      name: 'erase',
      act: (worker) => eraseUser(worker.request(user), user),
      touches: [user],
      ends: ended.map(({ id }) => id),
    }
  }

  /** The grantee's list, among requests that change it. */
  #listing(shares: SharedFact[]): Task {
    const user = this.#random() < 0.5 ? this.#user() : (shares[0]?.grantee_id ?? this.#user())
    const ended = new Set(this.#ended)
    return {
      name: 'list',
      act: async (worker) => {
        const ids = await this.#sharedWith(worker.request(user))
        expect(new Set(ids).size, 'each share once').toBe(ids.length)
        expect(ids.filter((id) => ended.has(id))).toEqual([])
        const certain = shares.filter(
          ({ id, owner_id, grantee_id }) =>
            grantee_id === user && ![id, owner_id, grantee_id].some((one) => this.#touched.has(one)),
        )
        expect(certain.filter(({ id }) => !ids.includes(id))).toEqual([])
      },
    }
  }

  /** Steps of the job of a database, as the worker of that database takes them. */
  #job(name: string): Task {
    const first = this.#random()
    return {
      name: 'job',
      act: async (worker) => {
        const job = worker.job(name)
        const pairing_id = await pairWithBucket({ ...jobIn(0, name), now_ms: this.#clock.now_ms })
        const ctx: StepContext = {
          ...job,
          pairing_id,
          separately: new Set(),
          asked: new Set(),
          next_at: undefined,
        }
        const steps = [checkShareHints, checkBranchHints, checkMarkers, collectGarbage, purgeAssets]
        const place = Math.floor(first * steps.length)
        for (const step of [...steps.slice(place), ...steps.slice(0, place)]) await step(ctx)
      },
    }
  }

  /** Some steps of a mover, of a partition that a user of the round is in. A move that is under way goes on. */
  #moving(): Task {
    const partition = partitionOf(this.#user())
    const target = oneOf(databaseNames, this.#random)
    const steps = 1 + Math.floor(this.#random() * 9)
    return {
      name: 'move',
      act: async (worker) => {
        for (let step = 0; step < steps; step++) {
          const { state, reason } = await moveStep(
            worker.mover,
            { first: partition, last: partition },
            target,
            {
              steps: 1,
            },
          )
          if (state === 'undone') throw new Error(`taken back: ${reason}`)
          if (state === 'moved') return
        }
      },
    }
  }

  /** Does tasks at the same time, one call at a time, in an order of the seed's. */
  async #together(tasks: Task[], before: { shares: SharedFact[] }): Promise<void> {
    this.#touched = new Set(tasks.flatMap(({ touches = [] }) => touches))
    const places = await placesOf(this.users)
    const turns = new Turns(tasks.length, (end) => Math.floor(this.#random() * end))
    const workers = tasks.map((_, index) =>
      new Worker(() => turns.wait(index), this.#trouble(), this.#clock).tell(this.#heard(places)),
    )
    const came = await Promise.all(
      tasks.map(({ act }, index) => {
        const worker = workers[index]
        return worker?.cameOf(turns.of(() => act(worker)))
      }),
    )
    for (const [index, { name, ends = [] }] of tasks.entries()) {
      const outcome = came[index] ?? ''
      this.#met.note(`${name}: ${outcome}`)
      if (outcome === 'done') for (const id of ends) this.#ended.add(id)
    }
    // A branch that was made from a deleted one may come back, a share that was revoked has another id then.
    for (const { id } of before.shares) if (this.#ended.has(id)) this.#met.note('ended share')
  }

  #trouble(): Trouble | undefined {
    if (this.#random() > 0.25) return undefined
    const kind = oneOf(['dies before', 'dies after', 'hears nothing'] as const, this.#random)
    return { kind, at: 1 + Math.floor(this.#random() * 7) }
  }

  /** Where a Worker thinks that partitions are: some places are right, some are not known, some are wrong. */
  #heard(places: ReadonlyMap<string, string>): Map<string, string> {
    const heard = [...places].flatMap(([partition, name]): [string, string][] => {
      const kind = this.#random()
      if (kind < 0.2) return []
      return [[partition, kind < 0.4 ? oneOf(databaseNames, this.#random) : name]]
    })
    return new Map(heard)
  }

  async #sharedWith(work: RequestContext): Promise<string[]> {
    return pages((cursor) => listSharedWith(work, { limit: 2, cursor }))
  }

  /** Each list shows exactly what there is. Between the two steps that hand a partition over, a list may be refused. */
  async #expectLists(): Promise<void> {
    const { shares, assets } = await facts()
    const mayRefuse = await isMoving()
    const shown = async (list: () => Promise<string[]>): Promise<string[] | undefined> => {
      try {
        return await list()
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.code === 'ASSET_NOT_FOUND') return []
        if (!mayRefuse || error.code !== 'UNAVAILABLE') throw error
        this.#met.note('list refused')
        return undefined
      }
    }
    const newestFirst = (some: { id: string }[]) =>
      some
        .map(({ id }) => id)
        .sort()
        .toReversed()
    for (const user of this.users) {
      const listed = await shown(() => this.#sharedWith(this.#as(user)))
      if (!listed) continue
      expect(listed, `shared with ${user}`).toEqual(
        newestFirst(shares.filter((one) => one.grantee_id === user)),
      )
      expect(listed.filter((id) => this.#ended.has(id))).toEqual([])
      this.#met.note('shares shown', listed.length)
    }
    const viewers = [this.#user(), this.#user()]
    for (const source of [...this.#sources, ...this.#branches.slice(0, 2)])
      for (const viewer of viewers) {
        const list = (cursor: string | undefined) =>
          listBranches(this.#as(viewer), source.id, { limit: 2, cursor })
        const listed = await shown(() => pages(list))
        if (!listed) continue
        const isShown = ({ visibility, owner_id }: AssetFact) =>
          visibility === 'public' || owner_id === viewer
        const found = assets.find(({ id }) => id === source.id)
        const branches = assets.filter((one) => one.source_id === source.id && isShown(one))
        expect(listed, `branches of ${source.id}`).toEqual(
          found && isShown(found) ? newestFirst(branches) : [],
        )
        this.#met.note('branches shown', listed.length)
      }
  }
}

/** The ids of a list, page by page. */
async function pages(
  list: (cursor: string | undefined) => Promise<{ rows: { id: string }[]; next_cursor: string | null }>,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const { rows, next_cursor } = await list(cursor)
    ids.push(...rows.map(({ id }) => id))
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  return ids
}
