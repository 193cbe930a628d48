import type { RequestContext } from '../../platform/context.ts'
import { moving } from '../../platform/db/session.ts'
import { ApiError } from '../../platform/errors.ts'
import { movingPartitions } from '../../platform/shards/partitions.ts'
import { compareFiles, comparePreviews, findArrived } from './content.ts'
import { compareCounters } from './counters.ts'
import { compareEntries, compareListedAssets } from './entries.ts'
import { compareErasures } from './erasures.ts'
import { compareFavorites } from './favorites.ts'
import { compareBranchHints, compareMarkers, compareShareHints } from './links.ts'
import { compareCases, compareMeasures } from './measures.ts'
import { compareMutes } from './mutes.ts'
import type { Stage } from './names.ts'
import { comparePairing, findOrphans } from './objects.ts'
import type { ComparedPage, ReconcileContext } from './page.ts'
import { compareVersions } from './versions.ts'

/** A request for a page of one stage in one database. */
export interface PageRequest {
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
  previews: comparePreviews,
  objects: findOrphans,
  uploads: findArrived,
  counters: compareCounters,
  favorites: compareFavorites,
  measures: compareMeasures,
  cases: compareCases,
  mutes: compareMutes,
  catalogue_assets: compareListedAssets,
  catalogue_entries: compareEntries,
  pairing: comparePairing,
}

/**
 * Compares the next rows and objects of a database (docs/going-back.md). With `repair`, repairs findings where possible. Each
 * repair is one batch that repeats the conditions of its read, so the service may run meanwhile. Call it with the returned `next`
 * as `after` until `next` is null.
 *
 * @throws UNAVAILABLE, also while partitions of the database, or of a row's other user, are being moved; VALIDATION_FAILED
 *   when no database is bound by this name
 */
export async function reconcilePage(
  { databases, bucket, inboxes, ended, config, now_ms }: RequestContext,
  { database, stage, after, repair, accept_missing }: PageRequest,
): Promise<ComparedPage> {
  if (!databases.names.includes(database))
    throw new ApiError('VALIDATION_FAILED', {
      detail: `No database is bound as ${database}.`,
      errors: [{ in: 'body', path: '/database', message: 'must be the binding of a database' }],
    })
  if ((await databases.whole(database).read(movingPartitions)).length > 0) throw moving()
  const context = { databases, bucket, inboxes, ended, config, now_ms, database, after }
  return compare[stage]({ ...context, isRepair: repair, acceptMissing: accept_missing })
}
