/** The namespaces of the Durable Objects. Only this file uses the bindings, so that all objects are in one jurisdiction. */
import { type ApiError, unavailable } from '../errors.ts'
import type { JobHistory } from '../jobs/history.ts'
import { callObject } from '../lib/durable-object.ts'
import { FIRST } from '../shards/map.ts'
import type { Env } from './env.ts'
import type { Region } from './places.ts'
import type { Config } from './variables.ts'

/** The jurisdiction of the objects. The same name is another object in each jurisdiction. */
type Place = Pick<Config, 'JURISDICTION'>

/**
 * The options of a call whose object the platform makes near a region, if this is the object's first call; without a region near
 * the caller. A jurisdiction excludes a region.
 */
export function nearTo(
  region: Region | undefined,
  { JURISDICTION }: Place,
): { locationHint: Region } | undefined {
  return region === undefined || JURISDICTION !== undefined ? undefined : { locationHint: region }
}

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

/**
 * Asks the object that runs the job of a database to run it at a time (Unix seconds), or earlier.
 *
 * @throws UNAVAILABLE when the object cannot be reached, does not answer in time, or lacks the method
 */
export function wakeJanitorAt(
  env: Pick<Env, 'JANITOR'>,
  config: Config,
  database: string,
  time: number,
): Promise<void> {
  return callObject({
    stub: () => janitorOf(env, config, database),
    call: async (janitor) => janitor.wakeAt(database, time),
    isIdempotent: true,
    timeout_ms: config.CALL_TIMEOUT_MS,
    unanswered: noAnswer,
  })
}

/**
 * What the object that runs the job of a database remembers of its last runs.
 *
 * @throws UNAVAILABLE when the object cannot be reached, does not answer in time, or lacks the method
 */
export function jobHistoryOf(
  env: Pick<Env, 'JANITOR'>,
  config: Config,
  database: string,
): Promise<JobHistory> {
  return callObject({
    stub: () => janitorOf(env, config, database),
    call: async (janitor) => janitor.history(),
    isIdempotent: true,
    timeout_ms: config.CALL_TIMEOUT_MS,
    unanswered: noAnswer,
  })
}

function noAnswer(cause: unknown): ApiError {
  return unavailable('The job did not answer. Try again.', cause)
}

/** The object that runs the job of a database. It is made near the databases, because the schedule runs anywhere. */
export function janitorOf(
  env: Pick<Env, 'JANITOR'>,
  place: Place & Pick<Config, 'LOCATION'>,
  database: string,
): ReturnType<Env['JANITOR']['getByName']> {
  const name = database === FIRST ? 'janitor' : `janitor ${database}`
  return janitorsOf(env, place).getByName(name, nearTo(place.LOCATION, place))
}
