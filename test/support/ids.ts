import { z } from '@hono/zod-openapi'
import { v7 } from 'uuid'
import { partitionOf } from '../../src/platform/db/id.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { inDatabase, inTurn } from './databases.ts'

/** A valid id without a resource. */
export const unknownId = '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60'

/** The id of a new user. Sorts after earlier ones; two in a row are in different databases. */
export const newUserId = () => inTurn(v7)

/** The id of a new user of one database, for tests of the job of that database. */
export const newUserIdIn = (database: string, begin = '') => inDatabase(database, () => begin + v7())

/** The id of a new user of the first database. */
export const firstUserId = () => newUserIdIn(FIRST)

/** The id of a new user, with a name in front. */
export const newNamedId = (name: string) => inTurn(() => `${name}-${crypto.randomUUID()}`)

/** The id of a new user in the partition of another. */
export function newNeighbourOf(user_id: string): string {
  const partition = partitionOf(user_id)
  let id = v7()
  while (partitionOf(id) !== partition) id = v7()
  return id
}

const WithId = z.object({ id: z.string() })

/** The id of the resource in an answer. */
export const idOf = ({ body }: { body: unknown }): string => WithId.parse(body).id

/** A header with a new idempotency key. */
export const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() })
