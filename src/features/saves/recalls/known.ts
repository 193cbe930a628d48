import type { LaterContext } from '../../../platform/context.ts'
import { KnownList } from '../../../platform/lib/known-list.ts'
import { listOf, type Recalls, wholeList } from './row.ts'

/** The recalls in force that this isolate knows. */
export const knownRecalls = new KnownList(async ({ databases }: LaterContext): Promise<Recalls> => {
  const [version, rows] = await databases.first.send(wholeList())
  return listOf(version, rows)
})
