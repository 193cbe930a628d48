import type { Env } from '../config/env.ts'
import { FIRST } from './map.ts'

type Janitors = Env['JANITOR']

/** The object that runs the job of a database. */
export function janitorOf(janitors: Janitors, database: string): ReturnType<Janitors['getByName']> {
  return janitors.getByName(database === FIRST ? 'janitor' : `janitor ${database}`)
}
