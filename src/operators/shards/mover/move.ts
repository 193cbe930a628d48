import type { RequestContext } from '../../../platform/context.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Databases } from '../../../platform/shards/databases.ts'
import { announce, forget, freeze, listUsers } from './begin.ts'
import { Budget } from './budget.ts'
import { compareStep, copyStep } from './copy.ts'
import { afterUsers, type Group, groupAfter } from './groups.ts'
import { currentMove, isTaken, type Move, START, takeStep } from './moves.ts'
import type { Stage } from './names.ts'
import { locationsOf, nextPortion, type PartitionRange, PORTION, type Portion, partitionsOf } from './plan.ts'
import { endInSource, endTakenBack, removeStep } from './remove.ts'
import { handOver, takeBack } from './switch.ts'
import { waitingAmong } from './turn.ts'

/** A portion that was opened in the target, and how long it was frozen, in milliseconds. */
interface Frozen {
  partitions: number
  rows: number
  ms: number
}

/** The progress of a move. */
export interface Progress {
  /**
   * `moving`: call again. `moved`: the target has every partition of the range. `undone`: the last portion was taken back, for
   * `reason`. `idle`: no move is under way. `waiting`: a job has its turn before the next portion; call again later.
   */
  state: 'moving' | 'moved' | 'undone' | 'idle' | 'waiting'
  /** The database whose job has its turn. */
  job_of?: string
  stage?: Stage
  source?: string
  target?: string
  /** How many partitions of the range the target does not have yet. */
  partitions_left: number
  /** How many rows of the current portion have been copied. */
  rows_copied?: number
  /** The portions that were opened in the target by this call. */
  opened: Frozen[]
  reason?: string
}

interface Options {
  /** The most steps to take. */
  steps?: number
  portion?: Portion
}

/** The stages in which the source has the rows and a row of the move. */
const NEEDS_SOURCE: ReadonlySet<Stage> = new Set<Stage>(['users', 'copy', 'compare', 'close'])

type MoveContext = Pick<RequestContext, 'databases' | 'now_ms'>

/**
 * Takes the next steps of moving a range of partitions to a database. Each step is a transaction in one of the two databases,
 * and takes effect once. A move that is under way is continued first, whatever its range. Call again until the state is
 * `moved`.
 *
 * @throws UNAVAILABLE; VALIDATION_FAILED when no such database is bound
 */
export async function moveStep(
  ctx: MoveContext,
  range: PartitionRange,
  target: string,
  { steps = Number.POSITIVE_INFINITY, portion = PORTION }: Options = {},
): Promise<Progress> {
  const { databases } = ctx
  expectBound(databases, target)
  const run = new MoveRun(databases)
  while (!run.isOver(steps)) {
    if (await run.advance()) continue
    if (run.undone) break
    const next = await nextPortion(databases, range, target, portion)
    if (!next) break
    const job_of = await waitingAmong(ctx, [next.source, target])
    if (job_of) return { ...(await run.progress(range, target)), state: 'waiting', job_of }
    await run.take(() => announce(databases, { ...next, target }))
  }
  return run.progress(range, target)
}

/**
 * Takes back the portion that is being moved; earlier portions stay in the target. A portion that is open in the target can't
 * be taken back, because the target may have new rows: then the state is `moving`, with a reason. Call again while the state
 * is `moving` without a reason.
 *
 * @throws UNAVAILABLE
 */
export async function undoStep(
  { databases }: Pick<MoveContext, 'databases'>,
  { steps = Number.POSITIVE_INFINITY }: Options = {},
): Promise<Progress> {
  const move = await currentMove(databases)
  if (!move) return { state: 'idle', partitions_left: 0, opened: [] }
  const { target, partitions } = move
  const { position } = target
  const run = new MoveRun(databases)
  const range = { first: partitions[0] ?? '000', last: partitions.at(-1) ?? '000' }
  if (position.stage === 'remove') {
    const reason = `the partitions are open in ${target.session.name}: let the move end, and move them back`
    return { ...(await run.progress(range, target.session.name)), reason }
  }
  if (position.stage !== 'undo') {
    const undo = { ...position, stage: 'undo', ...START, reason: 'the operator asked for it' } as const
    await run.take(() => takeStep(move, target, undo, []))
  }
  while (!run.isOver(steps) && !run.undone) if (!(await run.advance())) break
  return run.progress(range, target.session.name)
}

/** The steps of one request. */
class MoveRun {
  readonly #databases: Databases
  readonly #budget: Budget
  readonly #opened: Frozen[] = []
  #taken = 0
  #move: Move | undefined
  #group: { id: string; after: string; group: Group } | undefined
  undone: string | undefined

  constructor(databases: Databases) {
    this.#databases = databases
    this.#budget = new Budget(databases)
  }

  isOver(steps: number): boolean {
    return this.#taken >= steps || this.#budget.isSpent
  }

  /** Takes a step. When another mover has taken it, this does nothing, and the move is read again. */
  async take(step: () => Promise<unknown>): Promise<void> {
    this.#taken++
    try {
      await step()
    } catch (error) {
      this.#move = undefined
      if (!isTaken(error)) throw error
    }
  }

  /** Takes the next step of the move that is under way. Returns whether there is one. */
  async advance(): Promise<boolean> {
    this.#move ??= await currentMove(this.#databases)
    const move = this.#move
    if (!move) return false
    await this.take(() => this.#step(move))
    return true
  }

  async progress(range: PartitionRange, target: string): Promise<Progress> {
    const move = this.#move ?? (await currentMove(this.#databases))
    const locations = await locationsOf(this.#databases)
    const partitions_left = partitionsOf(range).filter(
      (partition) => locations.get(partition) !== target,
    ).length
    const state = this.undone ? 'undone' : move || partitions_left > 0 ? 'moving' : 'moved'
    return {
      state,
      ...(move && {
        stage: move.target.position.stage,
        source: move.source,
        rows_copied: move.target.position.copied,
      }),
      target: move?.target.session.name ?? target,
      partitions_left,
      opened: this.#opened,
      ...(this.undone && { reason: this.undone }),
    }
  }

  async #step(move: Move): Promise<void> {
    const { target, from } = move
    const { stage, frozen_ms, copied } = target.position
    if (stage === 'begin') {
      if (from) await takeStep(move, target, from.position, [])
      else await freeze(this.#databases, move)
    } else if (!from && NEEDS_SOURCE.has(stage)) {
      const reason = `${move.source} knows nothing of the move: was it restored?`
      await takeStep(move, target, { ...target.position, stage: 'undo', ...START, reason }, [])
    } else if (stage === 'users') await listUsers(move)
    else if (stage === 'copy' || stage === 'compare') {
      const group = await this.#groupAt(move, target.position.after)
      const ofPartitions = from && afterUsers(target.position, group)
      if (ofPartitions) await takeStep(move, target, ofPartitions, [])
      else await (stage === 'copy' ? copyStep : compareStep)(move, group)
    } else if (stage === 'close') {
      await handOver(this.#databases, move)
      this.#opened.push({ partitions: move.partitions.length, rows: copied, ms: Date.now() - frozen_ms })
    } else if (stage === 'remove') await this.#remove(move)
    else await this.#undo(move)
  }

  async #remove(move: Move): Promise<void> {
    const { from } = move
    if (!from) {
      await forget(move)
      this.#move = undefined
    } else if (await removeStep(move, from, await this.#groupAt(move, from.position.after)))
      await endInSource(move, from)
  }

  async #undo(move: Move): Promise<void> {
    const { from, target } = move
    if (from) await takeBack(move)
    else if (await removeStep(move, target, await this.#groupAt(move, target.position.after))) {
      await endTakenBack(move)
      this.#move = undefined
      this.undone = target.position.reason ?? 'it was taken back'
    }
  }

  /** The group after a user, kept while its steps go on. `after` is null after all users. */
  async #groupAt(move: Move, after: string | null): Promise<Group> {
    if (after === null) return { users: '[]', last: null }
    const { id } = move
    if (this.#group?.id !== id || this.#group.after !== after)
      this.#group = { id, after, group: await groupAfter(move, after) }
    return this.#group.group
  }
}

/** @throws VALIDATION_FAILED when no database is bound by that name */
function expectBound(databases: Databases, target: string): void {
  if (databases.names.includes(target)) return
  throw new ApiError('VALIDATION_FAILED', {
    detail: `No database is bound as ${target}: add it to wrangler.toml, migrate it and deploy.`,
    errors: [{ in: 'body', path: '/database', message: 'must be the binding of a database' }],
  })
}
