import type { D1Database } from '@cloudflare/workers-types'
import type { RecordedAnswer, RecordedStatement } from './plan.ts'
import { recordedDatabase } from './recorder.ts'
import { app, appFor } from './service.js'

/**
 * The service with one more route, and with an entrypoint that records. A route of its own, because nothing in
 * the service's contract ends after the token check other than in a refusal.
 */
// The app of the paths that no feature serves.
const others = await appFor('')
others.get('/v1/token', (c) => c.json({ user_id: c.var.caller.user_id }))

export default { fetch: app.fetch }

/** `DB`, and `DB_1`, … of a bench over several databases; what else is bound is not looked at. */
type ProbeEnv = Record<string, D1Database>

/** Serves a request as ever, and answers with what the service said and what it asked the database. */
export const recorder = {
  async fetch(request: Request, env: ProbeEnv, context: object): Promise<Response> {
    const trips: RecordedStatement[][] = []
    const at_ms = Date.now()
    const databases = Object.entries(env).filter(([name]) => /^DB(_\d+)?$/.test(name))
    const recorded = databases.map(([name, database]) => [
      name,
      recordedDatabase(database, (trip) => trips.push(trip)),
    ])
    // The bench asks for nothing of an inbox.
    const bindings = { ...env, INBOX: {}, ...Object.fromEntries(recorded) }
    const response = await app.fetch(request, bindings, context)
    const answer: RecordedAnswer = { at_ms, status: response.status, body: await response.text(), trips }
    return Response.json(answer)
  },
}

export { Inbox, Janitor } from './no-objects.ts'
