/**
 * What the probe uses of src/app.ts, which `bench.ts` bundles in this module's place. The types of src/ are those
 * of the Workers runtime, and the bench is checked with Node's.
 */

interface ProbedContext {
  var: { caller: { user_id: string } }
  json(body: object): Response
}

export declare const app: {
  get(path: string, handler: (c: ProbedContext) => Response): unknown
  fetch(request: Request, env: object, context: object): Promise<Response>
}
