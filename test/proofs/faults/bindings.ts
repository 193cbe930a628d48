import { env } from 'cloudflare:test'
import { silentQueue } from '../../support/events.ts'
import { overridden } from '../../support/meter.ts'
import { type Binding, outgoing } from '../../support/outgoing.ts'
import { type Fetch, serviceWith } from '../../support/service.ts'
import { errorOf, type Fault, type Faults } from './fault.ts'

/**
 * As long as the service waits for a call where some hang, in milliseconds. A healthy one that takes longer, on a machine
 * that has much else to do, is one more fault, and counts as one.
 */
const TIMEOUT_MS = 100
/** As long as it waits where all is well: however busy the machine is, no call takes as long. */
const LONG_TIMEOUT_MS = 300_000

/** The site of the call that reads the content of an object. */
const CONTENT = 'content'

/** One of the calls that a request, or the job, has made. */
export interface Call {
  binding: Binding
  /** In words, as a reader of a failure needs them. */
  site: string
}

type Act = () => Promise<unknown>

/** The service over bindings of which some calls fail, hang or are late. Everything it does is counted as it goes out. */
export class Faulty {
  readonly calls: Call[] = []
  /** The keys of content that the request has put. */
  readonly stored: string[] = []
  /** Whether a fault has befallen the deletion of an object. */
  isDeletionStruck = false
  /** Whether a fault has befallen the reading of content. */
  isContentStruck = false
  /** How many faults have befallen a call, those included that only took too long. */
  struck = 0
  readonly env: typeof env
  readonly service: Fetch
  /** Whether nothing is to befall anything. */
  readonly isWell: boolean
  /** As long as it waits for a call, in milliseconds. */
  readonly timeout_ms: number
  readonly #faults: Faults
  #late: { when: Fault['effect']; act: Act }[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  #running = 0

  constructor(faults: Faults, variables: Record<string, string> = {}) {
    this.#faults = faults
    this.isWell = faults.size === 0
    const bindings = outgoing((binding, site, act) => this.#call(binding, site, act))
    this.timeout_ms = this.isWell ? LONG_TIMEOUT_MS : TIMEOUT_MS
    const timeout = { CALL_TIMEOUT_MS: String(this.timeout_ms) }
    this.env = {
      ...env,
      ...variables,
      ...timeout,
      ...bindings,
      EVENTS: silentQueue().queue,
      CHECKS: silentQueue().queue,
      BUCKET: overridden(bindings.BUCKET, {
        get: async (...args: Parameters<R2Bucket['get']>) => {
          const object: R2ObjectBody | null = await bindings.BUCKET.get(...args)
          return object && this.#readable(object)
        },
        put: (...args: Parameters<R2Bucket['put']>) => {
          const { file, asset } = args[2]?.customMetadata ?? {}
          if (file !== undefined || asset !== undefined) this.stored.push(args[0])
          return bindings.BUCKET.put(...args)
        },
      }),
    }
    this.service = serviceWith(this.env)
  }

  /** Lets take effect what was put off until then, and waits for all that is under way. */
  async come(when: Fault['effect']): Promise<void> {
    const due = this.#late.filter((late) => late.when === when)
    this.#late = this.#late.filter((late) => late.when !== when)
    for (const { act } of due) this.#begin(act)
    await Promise.allSettled([...this.#underWay])
  }

  /** Whether a call is being made for real just now. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  /** Makes a call for real, and notes it, so that `come` can wait for it also when nobody else does any more. */
  #begin<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    this.#running++
    const begun = act()
    this.#underWay.add(begun)
    // The service begins to wait later than this, so it never gives a call up that is not counted.
    const timer = setTimeout(() => this.struck++, this.timeout_ms)
    const ended = () => {
      this.#running--
      clearTimeout(timer)
    }
    begun.then(ended, ended)
    return begun
  }

  async #call<Answer>(binding: Binding, site: string, act: () => Promise<Answer>): Promise<Answer> {
    this.calls.push({ binding, site: `${binding} ${site}` })
    const fault = this.#faults.get(this.calls.length)
    if (!fault) return this.#begin(act)
    this.struck++
    this.isDeletionStruck ||= site === 'delete'
    this.isContentStruck ||= site === CONTENT
    if (fault.effect === 'at once') await Promise.allSettled([this.#begin(act)])
    else if (fault.effect !== 'never') this.#late.push({ when: fault.effect, act })
    if (fault.reply === 'an error') throw errorOf(binding, fault)
    return new Promise(() => {})
  }

  /** An object whose content may break off, before the first byte or after the last, or never end. */
  #readable(object: R2ObjectBody): R2ObjectBody {
    const { timeout_ms } = this
    const call = (act: Act) => this.#call('R2', CONTENT, act)
    return overridden(object, {
      arrayBuffer: () => call(() => object.arrayBuffer()),
      get body() {
        const { readable, writable } = new TransformStream()
        const broken = (error: unknown) => writable.abort(error).catch(() => {}) // whoever read it has gone
        // Nobody waits for ever for content that does not come.
        const timer = setTimeout(() => void broken(new Error('the client gives up')), 2 * timeout_ms)
        void call(() => object.body.pipeTo(writable, { preventClose: true }))
          .then(() => writable.close())
          .catch(broken)
          .finally(() => clearTimeout(timer))
        return readable
      },
    })
  }
}
