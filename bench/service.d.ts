/**
 * The part of src/app.ts that the probe uses. `bench.ts` bundles src/app.ts in place of this module, whose own types are
 * needed because src/ has the Workers runtime's types, and the bench Node's.
 */

interface ProbedContext {
  var: { caller: { user_id: string } }
  json(body: object): Response
}

export declare const app: {
  fetch(request: Request, env: object, context: object): Promise<Response>
}
export declare function appFor(path: string): Promise<{
  get(path: string, handler: (c: ProbedContext) => Response): unknown
}>

/** The part of src/index.ts that `waits-worker.ts` and `growth-worker.ts` use. */
declare const service: { fetch(request: Request, env: object, context: object): Promise<Response> }
export default service
export declare class Janitor {
  alarm(): Promise<void>
}
/** The part of an object's state that `growth-worker.ts` uses. */
export interface InboxState {
  storage: { sql: import('@cloudflare/workers-types').SqlStorage; sync(): Promise<void> }
  abort(reason: string): void
}
export declare class Inbox {
  constructor(state: InboxState, env: object)
}
export declare const NotificationPublisher: unknown
export declare const Saves: unknown
