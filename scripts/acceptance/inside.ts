/**
 * Stands for `cloudflare:test` and `cloudflare:workers` where the black-box tests run against a URL (vitest.config.ts, the project
 * `acceptance`): requests go to the service at that URL. A test that looks inside the service is skipped there.
 */
import { variables } from '../../test/support/variables.ts'
import { reach, skip } from './reach.ts'

/** Skips the test that looks inside the service. */
const look = (name: string) => skip(`looks at ${name}, inside the service`)

/** A binding, which nobody outside the service has: whoever uses it is skipped. */
function inside(name: string): unknown {
  return new Proxy(() => {}, {
    get: (_, member) => (typeof member === 'symbol' || member === 'then' ? undefined : look(name)),
    apply: () => look(name),
    construct: () => look(name),
  })
}

const outside: Record<string, unknown> = {
  ...variables,
  S3: { fetch },
  // The tests behave as with one database: where something is stored is no matter of theirs.
  CATALOG: undefined,
}

export const env = new Proxy(outside, {
  get: (known, name) => (typeof name === 'symbol' || name in known ? Reflect.get(known, name) : inside(name)),
})

export const exports = { default: { fetch: reach } }

export class DurableObject {}
export class WorkerEntrypoint {}

export const createExecutionContext = () => look('the context of a request')
export const waitOnExecutionContext = () => look('the context of a request')
export const runInDurableObject = () => look('an object')
export const evictDurableObject = () => look('an object')
export const runDurableObjectAlarm = () => look('an object')
export const abortAllDurableObjects = () => look('the objects')
export const createMessageBatch = () => look('a queue')
export const getQueueResult = () => look('a queue')
export const applyD1Migrations = () => look('a database')
export const reset = () => look('what is stored')
