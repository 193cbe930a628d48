/** The namespaces of the Durable Objects. Nothing else uses their bindings, so that all objects are in one place. */
import type { Env } from './env.ts'
import type { Config } from './variables.ts'

/** Where objects are. A name leads to another object in each jurisdiction. */
type Place = Pick<Config, 'JURISDICTION'>

/** The inboxes of users, by their ids. */
export function inboxesOf({ INBOX }: Pick<Env, 'INBOX'>, { JURISDICTION }: Place): Env['INBOX'] {
  return JURISDICTION === undefined ? INBOX : INBOX.jurisdiction(JURISDICTION)
}

/** The objects that run the job. */
export function janitorsOf({ JANITOR }: Pick<Env, 'JANITOR'>, { JURISDICTION }: Place): Env['JANITOR'] {
  return JURISDICTION === undefined ? JANITOR : JANITOR.jurisdiction(JURISDICTION)
}
