/** The namespaces of the Durable Objects. Only this file uses the bindings, so that all objects are in one jurisdiction. */
import { FIRST } from '../shards/map.ts'
import type { Env } from './env.ts'
import type { Config } from './variables.ts'

/** The jurisdiction of the objects. The same name is another object in each jurisdiction. */
type Place = Pick<Config, 'JURISDICTION'>

/** The inboxes, by user id. */
export function inboxesOf({ INBOX }: Pick<Env, 'INBOX'>, { JURISDICTION }: Place): Env['INBOX'] {
  return JURISDICTION === undefined ? INBOX : INBOX.jurisdiction(JURISDICTION)
}

/** The objects of players' saves, by user id. */
export function savesOf({ SAVES }: Pick<Env, 'SAVES'>, { JURISDICTION }: Place): Env['SAVES'] {
  return JURISDICTION === undefined ? SAVES : SAVES.jurisdiction(JURISDICTION)
}

/** The objects that run the scheduled job. */
function janitorsOf({ JANITOR }: Pick<Env, 'JANITOR'>, { JURISDICTION }: Place): Env['JANITOR'] {
  return JURISDICTION === undefined ? JANITOR : JANITOR.jurisdiction(JURISDICTION)
}

/** The object that runs the job of a database. */
export function janitorOf(
  env: Pick<Env, 'JANITOR'>,
  place: Place,
  database: string,
): ReturnType<Env['JANITOR']['getByName']> {
  return janitorsOf(env, place).getByName(database === FIRST ? 'janitor' : `janitor ${database}`)
}
