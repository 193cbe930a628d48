import type { Asset, Version, World } from '../../proofs/model/state.ts'
import { Actor } from './actor.ts'
import { Journal } from './journal.ts'
import { limits, variables } from './limits.ts'
import { Power } from './power.ts'
import { reasonOf } from './reason.ts'
import { idsIn } from './step.ts'

/** A user that has been erased, what the model says of them, and what may still be counted. */
export type Grave = Pick<Actor, 'user' | 'model' | 'owed'> & { actor: Actor }

/** A version that may be branched, and its content. */
export interface Source {
  asset: Asset
  version: Version
  content: string
}

/** A run of the proof: the actors on one server, and what they know of each other. */
export class Run {
  readonly power: Power
  readonly journal = new Journal()
  readonly actors: Actor[] = []
  readonly graves: Grave[] = []
  /** The limits of the server as it was started last. */
  limits = limits
  /** How a failed run is repeated. */
  readonly replay: string
  /** When the last run of the job began that is known to have come to its end, in milliseconds. */
  jobRanAt = 0
  readonly #durations = new Map<string, number>()

  private constructor(power: Power, replay: string) {
    this.power = power
    this.replay = replay
  }

  /** Switches a server on, and brings in actors, of whom the last two may be erased. */
  static async begin(seed: number, actors: number, replay: string): Promise<Run> {
    const run = new Run(await Power.on(variables), replay)
    for (let index = 0; index < actors; index++) {
      const actor = await Actor.join(run, `u${index}`, index >= actors - 2, seed * 1_000 + index)
      actor.listener.connect()
      run.actors.push(actor)
    }
    return run
  }

  /** Starts the server again on what a kill has left, with uploads that may take so long. */
  async resume(UPLOAD_TTL = this.limits.UPLOAD_TTL): Promise<void> {
    await this.power.restore({ UPLOAD_TTL: String(UPLOAD_TTL) })
    this.limits = { ...this.limits, UPLOAD_TTL }
    for (const { listener } of this.actors) listener.connect()
  }

  /** The users with whom an actor may share. */
  granteesFor(actor: Actor): string[] {
    return this.actors.filter((other) => other !== actor && !other.isMortal).map(({ user }) => user)
  }

  /** Versions that an actor may branch: their own, and those that others show. */
  sourcesFor(actor: Actor): Source[] {
    return this.actors.flatMap((other) =>
      [...other.model.assets.values()]
        .filter(
          ({ deleted_at, visibility }) => deleted_at === null && (other === actor || visibility === 'public'),
        )
        .flatMap((asset) =>
          asset.versions.map((version) => ({
            asset,
            version,
            content: other.model.objects.get(version.content) ?? '',
          })),
        ),
    )
  }

  /** An actor's model with the files and assets of all others, and whom the files are shared with. */
  modelOfAll({ model }: Actor): World {
    const all = <Value>(of: (model: World) => Map<string, Value>) =>
      new Map(this.actors.flatMap((actor) => [...of(actor.model)]))
    return {
      ...model,
      items: all((m) => m.items),
      shares: all((m) => m.shares),
      assets: all((m) => m.assets),
      objects: all((m) => m.objects),
    }
  }

  /** The job has run to its end: what had been deleted when it began is released. */
  jobHasRun(begun: number): void {
    this.jobRanAt = Math.max(this.jobRanAt, begun)
    for (const one of [...this.actors, ...this.graves])
      one.owed = one.owed.filter(({ since }) => since >= begun)
  }

  bury(actor: Actor): void {
    const { user, model, owed } = actor
    this.graves.push({ actor, user, model, owed })
  }

  /** Notes how long an act took, in milliseconds. */
  took(kind: string, duration: number): void {
    this.#durations.set(kind, 0.8 * (this.#durations.get(kind) ?? duration) + 0.2 * duration)
  }

  /** How long an act of a kind takes, about. */
  usually(kind: string): number {
    return this.#durations.get(kind) ?? 100
  }

  /** Does something for a user. An error says all that helps to understand it. */
  async blaming<Made>(
    { user }: { user: string },
    about: string,
    work: () => Made | Promise<Made>,
  ): Promise<Made> {
    try {
      return await work()
    } catch (error) {
      throw new Error(this.#report(user, about, error), { cause: error })
    }
  }

  /** Findings about ids, with what the journal has about each. */
  traced(where: string, findings: string[]): string {
    const traces = findings.slice(0, 5).map((finding) => {
      const ids = idsIn(finding)
      return [finding, ...ids.map((id) => this.journal.tail(id))].join('\n')
    })
    return [`round ${this.journal.round}, ${where}:`, ...traces, `again: ${this.replay}`].join('\n')
  }

  #report(user: string, about: string, error: unknown): string {
    return [
      `${user}: ${about}: ${reasonOf(error)}`,
      `round ${this.journal.round}; what the journal has about it:`,
      ...idsIn(about).map((id) => this.journal.tail(id)),
      `and of ${user} the last:`,
      this.journal.tail(user),
      `again: ${this.replay}`,
    ].join('\n')
  }
}
