import type { RequestContext } from '../../platform/context.ts'
import { moving } from '../../platform/db/session.ts'
import { ApiError } from '../../platform/errors.ts'
import { movingPartitions } from '../../platform/shards/partitions.ts'
import { compareCounters } from './counters.ts'
import { compareErasures } from './erasures.ts'
import { compareFiles } from './files.ts'
import { compareBranchHints, compareMarkers, compareShareHints } from './links.ts'
import type { Stage } from './names.ts'
import { findOrphans } from './objects.ts'
import type { ComparedPage, ReconcileContext } from './page.ts'
import { comparePairing } from './pairing.ts'
import { findArrived } from './uploads.ts'
import { compareVersions } from './versions.ts'

/** What is asked for: a page of one stage in one database. */
export interface Asked {
  database: string
  stage: Stage
  after: string
  repair: boolean
  accept_missing: boolean
}

const compare: Record<Stage, (ctx: ReconcileContext) => Promise<ComparedPage>> = {
  markers: compareMarkers,
  share_hints: compareShareHints,
  branch_hints: compareBranchHints,
  erasures: compareErasures,
  files: compareFiles,
  versions: compareVersions,
  objects: findOrphans,
  uploads: findArrived,
  counters: compareCounters,
  pairing: comparePairing,
}

/**
 * Compares the next rows and objects of a database (docs/going-back.md), and repairs what can be if it is asked to. Each
 * repair is one batch that repeats what it relies on, so the service may run. To be called with what it answered as `next`
 * until that is null.
 *
 * @throws UNAVAILABLE, also while partitions are being moved; VALIDATION_FAILED when no such database is bound
 */
export async function reconcilePage(
  { databases, bucket, inboxes, config, now_ms }: RequestContext,
  { database, stage, after, repair, accept_missing }: Asked,
): Promise<ComparedPage> {
  if (!databases.names.includes(database))
    throw new ApiError('VALIDATION_FAILED', {
      detail: `No database is bound as ${database}.`,
      errors: [{ in: 'body', path: '/database', message: 'must be the binding of a database' }],
    })
  if ((await databases.whole(database).read(movingPartitions)).length > 0) throw moving()
  const context = { databases, bucket, inboxes, config, now_ms, database, after }
  return compare[stage]({ ...context, isRepair: repair, acceptMissing: accept_missing })
}
