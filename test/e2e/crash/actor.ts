import { developmentToken } from '../../../scripts/development.ts'
import { type Act, codeOf, type Requests } from '../../proofs/model/act.ts'
import { readsAsset } from '../../proofs/model/asset-versions.ts'
import { readsFile } from '../../proofs/model/files.ts'
import { listsAssets } from '../../proofs/model/game-assets.ts'
import { emptyWorld, type World } from '../../proofs/model/state.ts'
import { readsUpload } from '../../proofs/model/uploads.ts'
import { Choices } from './choices.ts'
import { forgetExpired } from './expired.ts'
import { type CutOff, type Heard, isSeen, outcomes, requireSeen } from './explain.ts'
import { anything, prepared } from './habits.ts'
import { Listener } from './listener.ts'
import type { Run } from './run.ts'
import type { Sending } from './sending.ts'
import type { Step } from './step.ts'
import { Wire } from './wire.ts'

/** To do one kind of act, together with others, at a moment that somebody else chooses. */
export interface Order {
  kind: string
  /** Called when everything has been prepared. */
  isReady: () => void
  /** Kept when the moment has come. */
  moment: Promise<void>
}

/**
 * Somebody who uses the service, one request at a time, with a model of what every answer has promised. When the server is
 * killed, at most one of their requests has no answer.
 */
export class Actor extends Choices {
  readonly run: Run
  readonly name: string
  /** Whether they may be erased; nobody shares with those who may, because that would end with them. */
  readonly isMortal: boolean
  readonly operator: string
  readonly wire: Wire
  user: string
  model: World
  listener: Listener
  /** The request that a kill has cut off. */
  pending: (CutOff & { step: Step }) | undefined
  /** The last act that made something with a key. */
  made: Step | undefined
  order: Order | undefined
  /** What is, or was, to be sent for each upload, by its id. */
  sendings = new Map<string, Sending>()
  /** What has been downloaded and compared: the content, by what asked for it. */
  compared = new Map<string, string>()
  /** Bytes that have been deleted for good, and may be counted until the job has run after that moment. */
  owed: { bytes: number; since: number }[] = []
  /** Looks at what has been deleted for good: they find nothing from then on. */
  gone: Act<Requests>[] = []
  #words = 0
  #lives = 0

  private constructor(run: Run, name: string, isMortal: boolean, seed: number) {
    super(seed)
    this.run = run
    this.name = name
    this.isMortal = isMortal
    this.operator = `operator-${name}`
    this.wire = new Wire(run.power)
    this.user = name
    this.model = this.#nothing()
    this.listener = new Listener(run.power, '')
  }

  static async join(run: Run, name: string, isMortal: boolean, seed: number): Promise<Actor> {
    const actor = new Actor(run, name, isMortal, seed)
    const scope = 'notifications:publish users:erase'
    actor.wire.signIn(actor.operator, await developmentToken(actor.operator, { scope }))
    await actor.#beLife()
    return actor
  }

  /** Goes on as another user, since this one has been erased. */
  async beginAnew(): Promise<void> {
    this.run.bury(this)
    this.listener.leave()
    await this.#beLife()
    this.sendings = new Map()
    this.compared = new Map()
    this.owed = []
    this.gone = []
    this.made = undefined
    if (!this.run.power.isOff) this.listener.connect()
  }

  async #beLife(): Promise<void> {
    this.user = `${this.name}-${++this.#lives}`
    const token = await developmentToken(this.user)
    this.wire.signIn(this.user, token)
    this.model = this.#nothing()
    this.listener = new Listener(this.run.power, token)
  }

  #nothing(): World {
    const { user, operator, run } = this
    return emptyWorld({ now_ms: Date.now(), limits: run.limits, players: [user], operator })
  }

  word = (): string => `${this.name}-${++this.#words}`

  /** Does one act after another until the server is killed. */
  async work(): Promise<void> {
    while (!this.run.power.isOff) {
      const { order } = this
      if (order) await this.#obey(order)
      else {
        const step = await anything(this)
        if (step) await this.perform(step)
      }
    }
  }

  async #obey({ kind, isReady, moment }: Order): Promise<void> {
    const step = await prepared(this, kind)
    this.order = undefined
    isReady()
    await moment
    if (step && !this.run.power.isOff) await this.perform(step)
  }

  /** Does an act, and has the model follow its answer: that is the moment at which the service has promised it. */
  async perform(step: Step): Promise<void> {
    const from_ms = Date.now()
    const { act } = step
    const heard = await this.run.blaming(this, act.says, () => this.hear(act))
    if (!heard) {
      this.pending = { step, act, cut: { from_ms, to_ms: Date.now() } }
      return
    }
    this.run.took(step.kind, heard.to_ms - heard.from_ms)
    await this.run.blaming(this, act.says, async () => {
      this.follow(await this.#after(heard))
      await step.afterwards?.(heard.answer)
    })
    if (act.key !== undefined && heard.answer.status === 201) this.made = step
  }

  /** Sends an act, with a line in the journal. Undefined when the server was killed before it had answered. */
  async hear(act: Act<Wire>, says = act.says): Promise<Heard | undefined> {
    const { power, journal } = this.run
    const line = journal.intend(this.user, says)
    const from_ms = Date.now()
    const answer = await act.send(this.wire).catch((error: unknown) => {
      if (power.isOff) return undefined
      throw new Error(`${says} failed, and nobody had killed the server`, { cause: error })
    })
    // What falls apart in the middle of a kill may still say that it does: that is no answer.
    const isAnswered = answer !== undefined && !(power.isOff && answer.status >= 500)
    line.outcome = isAnswered ? `${answer.status} ${codeOf(answer) ?? ''}`.trim() : 'cut off'
    return isAnswered ? { act, answer, from_ms, to_ms: Date.now() } : undefined
  }

  /** The model after an act. An upload whose time is over may have gone with the job meanwhile. */
  async #after(heard: Heard): Promise<World> {
    try {
      return await this.#decided(outcomes(this.model, heard))
    } catch (error) {
      if (this.run.power.isOff || !(await forgetExpired(this))) throw error
      return this.#decided(outcomes(this.model, heard))
    }
  }

  /** Which of several outcomes it was. An answer without times is right at each second in which it may have been made. */
  async #decided(worlds: World[]): Promise<World> {
    const [first = this.model, ...others] = worlds
    if (others.length === 0) return first
    const seen = await this.look([listsAssets(this.user, false, undefined, 100)]).catch(() => [])
    return worlds.find((world) => isSeen(world, seen)) ?? first
  }

  /** The model moves on. What it says may be counted still is noted with the time. */
  follow(after: World): void {
    const { items, assets, uploads } = this.model
    const bytes = after.releasing.get(this.user)?.bytes ?? 0
    after.releasing.clear()
    if (bytes > 0) this.owed.push({ bytes, since: Date.now() })
    const missing = (had: Map<string, unknown>, has: Map<string, unknown>) =>
      [...had.keys()].filter((id) => !has.has(id))
    this.gone.push(
      ...missing(items, after.items).map((id) => readsFile(this.user, id)),
      ...missing(assets, after.assets).map((id) => readsAsset(this.user, id)),
      ...missing(uploads, after.uploads).map((id) => readsUpload(this.user, id)),
    )
    this.model = after
  }

  /** Asks what changes nothing, all at once. */
  async look(acts: Act<Requests>[]): Promise<Heard[]> {
    return Promise.all(
      acts.map(async (act): Promise<Heard> => {
        const from_ms = Date.now()
        const answer = await act.send(this.wire)
        return { act, answer, from_ms, to_ms: Date.now() }
      }),
    )
  }

  /** @throws Error when what is seen is not what the model says */
  async requireSeen(acts: Act<Requests>[], model = this.model): Promise<void> {
    requireSeen(model, await this.look(acts))
  }
}
