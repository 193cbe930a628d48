import { logError } from './log.ts'
import { withTimeout } from './timeout.ts'

/*
 * The tables of a Durable Object. Each step leads from one version of them to the next, the first from none to version 1. A
 * step never changes once it has been released; a change is a new step at the end. The Worker before must still run on the
 * tables after it (docs/upgrading.md#upgrading).
 */

/** A key of the storage: an object may not set `PRAGMA user_version`. */
const VERSION = 'schema_version'

/** Whether the object has tables. It gets them with its first change. */
export function hasTables({ kv }: DurableObjectStorage): boolean {
  return kv.get<number>(VERSION) !== undefined
}

/** Creates the tables of the latest version, unless the object has tables. Call it in the transaction of the first change. */
export function createTables(storage: DurableObjectStorage, steps: readonly string[]): void {
  if (!hasTables(storage)) takeSteps(storage, steps)
}

/** Brings the tables of an object to the latest version, in one transaction. A newer version than the latest stays. */
export function migrate(storage: DurableObjectStorage, steps: readonly string[]): void {
  const version = storage.kv.get<number>(VERSION)
  if (version !== undefined && version < steps.length)
    storage.transactionSync(() => takeSteps(storage, steps, version))
}

/** Forgets the version of tables that have been dropped. */
export function forgetTables({ kv }: DurableObjectStorage): void {
  kv.delete(VERSION)
}

function takeSteps({ sql, kv }: DurableObjectStorage, steps: readonly string[], version = 0): void {
  for (const step of steps.slice(version)) sql.exec(step)
  kv.put(VERSION, steps.length)
}

/** A row in the type that SqlStorage requires: a mapped type has the index signature that an interface lacks. */
export type Row<Of> = { [Column in keyof Of]: Of[Column] & SqlStorageValue }

/** The alarm of a Durable Object. It is set again only for an earlier time, because each setting writes a row. */
export class Alarm {
  readonly #storage: DurableObjectStorage
  /** The time of the alarm, in Unix seconds; undefined when it is not set. */
  #time: number | undefined

  /** Reads the time of the alarm before the object gets its first call. */
  constructor(ctx: DurableObjectState) {
    this.#storage = ctx.storage
    void ctx.blockConcurrencyWhile(async () => {
      const time_ms = await ctx.storage.getAlarm()
      this.#time = time_ms === null ? undefined : time_ms / 1_000
    })
  }

  /** Whether the alarm is set. */
  get isSet(): boolean {
    return this.#time !== undefined
  }

  /** Call it first in `alarm()`: the alarm is no longer set. */
  begin(): void {
    this.#time = undefined
  }

  /** Takes the alarm back. */
  cancel(): void {
    if (this.#time === undefined) return
    this.#time = undefined
    this.#storage.deleteAlarm().catch((error: unknown) => {
      logError('the alarm was not taken back', { error: String(error) })
    })
  }

  /**
   * Sets the alarm to a time (Unix seconds), unless it is set to an earlier one. Nothing is awaited, so the alarm is stored
   * together with what the caller has just written.
   */
  schedule(time: number): void {
    if (this.#time !== undefined && this.#time <= time) return
    this.#time = time
    this.#storage.setAlarm(time * 1_000).catch((error: unknown) => {
      this.#time = undefined // The next call tries again.
      logError('the alarm was not set', { error: String(error) })
    })
  }
}

/** The properties of an exception from a call to a Durable Object. `remote`: the object's own code threw it. */
interface CallError {
  retryable?: boolean
  overloaded?: boolean
  durableObjectReset?: boolean
  remote?: boolean
}

/**
 * Whether the error says that the object runs older code than its caller, which lacks the method. After a deployment the platform
 * lets active objects keep their code for up to five minutes (CONTRIBUTING.md#rules).
 */
function isMissingMethod(error: unknown): boolean {
  return error instanceof TypeError && /RPC receiver does not implement the method /.test(error.message)
}

/** A call to a Durable Object. */
export interface ObjectCall<Stub, Answer> {
  /** Makes a stub. */
  stub: () => Stub
  call: (stub: Stub) => Promise<Answer>
  /** Whether a repetition has the effect of one call. */
  isIdempotent: boolean
  timeout_ms: number
  /** The error to throw when the object cannot be reached, does not answer in time, or lacks the method. */
  unanswered: (cause: unknown) => Error
}

/**
 * Calls a Durable Object. An idempotent call is repeated once when the platform allows it, on a new stub, because a stub is
 * unusable after an exception.
 *
 * @throws what `unanswered` makes; what the object's own code throws
 */
export async function callObject<Stub, Answer>(options: ObjectCall<Stub, Answer>): Promise<Answer> {
  const { stub, call, isIdempotent, timeout_ms, unanswered } = options
  try {
    return await withTimeout(timeout_ms, call(stub()))
  } catch (error) {
    const { retryable, overloaded, durableObjectReset, remote } = callError(error)
    if (isIdempotent && retryable && !overloaded) return callObject({ ...options, isIdempotent: false })
    const isOwn = remote && !retryable && !overloaded && !durableObjectReset
    if (isOwn && !isMissingMethod(error)) throw error
    throw unanswered(error)
  }
}

function callError(error: unknown): CallError {
  return typeof error === 'object' && error !== null ? error : {}
}
