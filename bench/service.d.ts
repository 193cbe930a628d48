/**
 * What the probe uses of src/app.ts, which `bench.ts` bundles in this module's place. The types of src/ are those
 * of the Workers runtime, and the bench is checked with Node's.
 */

interface ProbedContext {
  var: { caller: { user_id: string } }
  json(body: object): Response
}

export declare const app: {
  fetch(request: Request, env: object, context: object): Promise<Response>
}
export declare function appFor(segment: string): Promise<{
  get(path: string, handler: (c: ProbedContext) => Response): unknown
}>

/** And what `backlog-worker.ts` and `growth-worker.ts` use of src/index.ts. */
declare const service: { fetch(request: Request, env: object, context: object): Promise<Response> }
export default service
export declare class Janitor {
  alarm(): Promise<void>
}
/** What `growth-worker.ts` uses of an object's state. */
export interface InboxState {
  storage: { sql: import('@cloudflare/workers-types').SqlStorage; sync(): Promise<void> }
  abort(reason: string): void
}
export declare class Inbox {
  constructor(state: InboxState, env: object)
}
export declare const NotificationPublisher: unknown
