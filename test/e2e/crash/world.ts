import type { Act } from './act.ts'
import { Actor } from './actor.ts'
import type { Source } from './asset-acts.ts'
import { Journal } from './journal.ts'
import type { Ledger } from './ledger.ts'
import { Power } from './power.ts'
import type { Wire } from './wire.ts'

/** A user that has been erased, and what they had. */
export interface Grave {
  wire: Wire
  ledger: Ledger
  seq: number
}

/** The actors on one server, and what they know of each other. */
export class World {
  readonly power: Power
  readonly journal = new Journal()
  readonly actors: Actor[] = []
  readonly graves: Grave[] = []
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
  static async begin(
    seed: number,
    actors: number,
    variables: Record<string, string>,
    replay: string,
  ): Promise<World> {
    const world = new World(await Power.on(variables), replay)
    for (let index = 0; index < actors; index++) {
      const actor = await Actor.join(world, `u${index}`, index >= actors - 2, seed * 1_000 + index)
      actor.listener.connect()
      world.actors.push(actor)
    }
    return world
  }

  /** The users with whom an actor may share. */
  granteesFor(actor: Actor): string[] {
    return this.actors.filter((other) => other !== actor && !other.isMortal).map(({ wire }) => wire.user)
  }

  /** Versions that an actor may branch: their own, and those that others show. */
  sourcesFor(actor: Actor): Source[] {
    return this.actors.flatMap((other) =>
      [...other.ledger.assets.values()]
        .filter(({ isDeleted, record }) => !isDeleted && (other === actor || record.visibility === 'public'))
        .flatMap(({ record, versions }) =>
          versions.map(({ record: { version }, content }) => ({
            asset_id: record.id,
            version,
            content,
            isOwn: other === actor,
          })),
        ),
    )
  }

  /** The job has run to its end: what had been deleted when it began is released. */
  jobHasRun(begun: number): void {
    this.jobRanAt = Math.max(this.jobRanAt, begun)
    for (const { ledger } of [...this.actors, ...this.graves])
      ledger.owed = ledger.owed.filter(({ since }) => since >= begun)
  }

  bury({ wire, ledger, listener }: Actor): void {
    ledger.owed.push({ bytes: ledger.used_bytes, since: Date.now() })
    this.graves.push({ wire, ledger, seq: listener.seq })
  }

  /** Notes how long an act took, in milliseconds. */
  took(kind: string, duration: number): void {
    this.#durations.set(kind, 0.8 * (this.#durations.get(kind) ?? duration) + 0.2 * duration)
  }

  /** How long an act of a kind takes, about. */
  usually(kind: string): number {
    return this.#durations.get(kind) ?? 100
  }

  /** Does something for an actor. What goes wrong is told with all that helps to understand it. */
  async blaming<Answer>(
    { wire }: { wire: Wire },
    about: Act | string,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work()
    } catch (error) {
      throw new Error(this.#report(wire, about, error), { cause: error })
    }
  }

  /** Findings about ids, with what the journal has about each. */
  traced(where: string, findings: string[]): string {
    const traces = findings.slice(0, 5).map((finding) => {
      const ids = finding.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []
      return [finding, ...ids.map((id) => this.journal.tail(id))].join('\n')
    })
    return [`round ${this.journal.round}, ${where}:`, ...traces, `again: ${this.replay}`].join('\n')
  }

  #report({ user }: Wire, about: Act | string, error: unknown): string {
    const what = typeof about === 'string' ? about : about.request.intent
    const tails = typeof about === 'string' ? [] : about.request.about.map((of) => this.journal.tail(of))
    const reason = error instanceof Error ? error.message : String(error)
    return [
      `${user}: ${what}: ${reason}`,
      `round ${this.journal.round}; what the journal has about it:`,
      ...tails.filter((tail) => tail !== ''),
      `and of ${user} the last:`,
      this.journal.tail(user),
      `again: ${this.replay}`,
    ].join('\n')
  }
}
