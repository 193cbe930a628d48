import { Janitor as ServiceJanitor, default as service } from './service.js'

export { Inbox, NotificationPublisher, Saves } from './service.js'

/** The Janitor without its alarm: `waits.ts` starts each run itself, to get its report. */
export class Janitor extends ServiceJanitor {
  override async alarm(): Promise<void> {}
}

interface WaitsEnv {
  JANITOR: { getByName(name: string): { wake(database: string): Promise<object> } }
}

/** The service with a further path, which runs the job and answers with its report. */
export default {
  async fetch(request: Request, env: WaitsEnv, context: object): Promise<Response> {
    if (new URL(request.url).pathname !== '/run-the-job') return service.fetch(request, env, context)
    return Response.json(await env.JANITOR.getByName('janitor').wake('DB'))
  },
}
