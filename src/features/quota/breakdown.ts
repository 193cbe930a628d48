import { getTableColumns, sql } from 'drizzle-orm'
import type { Config } from '../../platform/config/variables.ts'
import type { RequestContext } from '../../platform/context.ts'
import { usage } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type RowOf, statement } from '../../platform/db/sql.ts'
import { erasedUntil } from '../../platform/db/watermark.ts'
import { unavailable } from '../../platform/errors.ts'
import { type ContentKind, contentKinds, LARGE_BYTES } from './kinds.ts'
import { quotaRecord } from './quota.ts'
import type { LargeContent, QuotaBreakdown } from './schema.ts'

const { used_bytes, limit_bytes, parts } = getTableColumns(usage)
const columns = { used_bytes, limit_bytes, parts }

/** The columns of a user's usage row that a breakdown is made of. */
interface UsageRow extends RowOf<typeof columns> {}

/** A content of at least 1 MiB, and whether it is being purged. */
interface LargeRow extends Omit<LargeContent, 'in_trash'> {
  in_trash: 0 | 1
  is_gone: 0 | 1
}

/** How many contents a breakdown names. */
const MAX_LARGEST = 20

const usageOf = statement(
  (p: Params<'user_id'>) =>
    sql<UsageRow>`SELECT ${columnsOf(columns)} FROM usage WHERE user_id = ${p.user_id}`,
)

/**
 * The statement that reads a user's largest contents, the largest first: a merge of an index of files and of the table of large
 * versions, which reads one row ahead in each. The folder of a file is looked at, and none further up: paths may be long, and the
 * request reads at most 60 rows. It selects what is being purged too, because to pass over it would cost as many rows as the job has
 * still to remove.
 */
const largestOf = statement((p: Params<'user_id'>) => {
  const erased = erasedUntil(p.user_id)
  const emptied = sql`coalesce((SELECT emptied_at FROM trash_emptied WHERE owner_id = ${p.user_id}), -1)`
  // The nearest deletion decides, as in a path. A folder that is not there has been purged.
  const isPurging = sql`(file.trashed_at IS NULL
      AND (folder.purging = 1 OR (file.parent_id IS NOT NULL AND folder.id IS NULL)))
    OR coalesce(file.trashed_at, folder.trashed_at) <= ${emptied}`
  return sql<LargeRow>`SELECT 'file' AS type, file.id, NULL AS asset_id, NULL AS version, NULL AS platform, file.name, file.size_bytes AS bytes,
      coalesce(file.trashed_at, folder.trashed_at) IS NOT NULL AS in_trash,
      (${isPurging} OR file.created_at <= ${erased}) IS TRUE AS is_gone, file.id AS tie
    FROM files AS file INDEXED BY files_large LEFT JOIN files AS folder ON folder.id = file.parent_id
    WHERE file.owner_id = ${p.user_id} AND file.processing_state = 'ready' AND file.size_bytes >= ${LARGE_BYTES} AND file.purging = 0
  UNION ALL
  SELECT 'version', large.version_id, large.asset_id, large.version, large.platform, asset.name, large.size_bytes,
      asset.deleted_at IS NOT NULL, asset.purging = 1 OR asset.created_at <= ${erased}, large.asset_id
    FROM large_versions AS large CROSS JOIN game_assets AS asset ON asset.id = large.asset_id
    WHERE large.owner_id = ${p.user_id}
  ORDER BY bytes DESC, tie DESC LIMIT ${sql.raw(String(MAX_LARGEST))}`
})

/**
 * Reads what takes a user's storage (docs/quota.md#what-takes-my-storage).
 *
 * @throws UNAVAILABLE while the job has not counted the parts of a user who is older than them
 */
export async function readBreakdown({ databases, config, user_id }: RequestContext): Promise<QuotaBreakdown> {
  const db = databases.home(user_id)
  // As the quota: a replica might not have a limit that an operator has just set.
  db.usePrimary()
  const { rows, largest } = await db.read({ rows: usageOf({ user_id }), largest: largestOf({ user_id }) })
  return breakdownRecord(rows[0], largest, config)
}

function breakdownRecord(row: UsageRow | undefined, largest: LargeRow[], config: Config): QuotaBreakdown {
  const { used_bytes, limit_bytes } = quotaRecord(row, config)
  return {
    used_bytes,
    limit_bytes,
    parts: partsOf(row),
    largest: largest
      .filter(({ is_gone }) => is_gone === 0)
      .map(({ type, id, asset_id, version, platform, name, bytes, in_trash }) => ({
        ...{ type, id, asset_id, version, platform, name, bytes },
        in_trash: in_trash === 1,
      })),
  }
}

/** The parts of a usage row: each stored kind, and open uploads, which have the rest. A user without a row has nothing. */
function partsOf(row: UsageRow | undefined): QuotaBreakdown['parts'] {
  if (row?.parts === null)
    throw unavailable('What this user has stored is being counted. Try again in some minutes.')
  const stored: Partial<Record<ContentKind, number>> = row ? JSON.parse(row.parts) : {}
  const parts = contentKinds.map((kind) => ({ kind, bytes: stored[kind] ?? 0 }))
  const bytes = (row?.used_bytes ?? 0) - parts.reduce((sum, part) => sum + part.bytes, 0)
  return [...parts, { kind: 'open_upload', bytes }]
}
