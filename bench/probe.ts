import type { D1Database } from '@cloudflare/workers-types'
import type { RecordedAnswer, RecordedStatement } from './plan.ts'
import { recordedDatabase } from './recorder.ts'
import { app, appFor } from './service.js'

/**
 * The service with an entrypoint that records, and a further route that only checks the token: no route of the service ends
 * there successfully.
 */
// The app of paths that no feature serves.
const others = await appFor('/')
others.get('/v1/token', (c) => c.json({ user_id: c.var.caller.user_id }))

export default { fetch: app.fetch }

/** `DB`, and in a bench over several databases `DB_1`, …. Other bindings are ignored. */
type ProbeEnv = Record<string, D1Database>

/** Serves a request as the service does. Answers with the service's answer and its statements. */
export const recorder = {
  async fetch(request: Request, env: ProbeEnv, context: object): Promise<Response> {
    const trips: RecordedStatement[][] = []
    const at_ms = Date.now()
    const databases = Object.entries(env).filter(([name]) => /^DB(_\d+)?$/.test(name))
    const recorded = databases.map(([name, database]) => [
      name,
      recordedDatabase(database, (trip) => trips.push(trip)),
    ])
    // No hot path uses an inbox or saves.
    const bindings = { ...env, INBOX: {}, SAVES: {}, ...Object.fromEntries(recorded) }
    const response = await app.fetch(request, bindings, context)
    const answer: RecordedAnswer = { at_ms, status: response.status, body: await response.text(), trips }
    return Response.json(answer)
  },
}

export { Inbox, Janitor, Saves } from './no-objects.ts'
