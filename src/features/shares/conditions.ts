import { type SQL, sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { isLive } from '../files/tree/lifecycle.ts'
import { hasExpired, isNotErasedShare } from './row.ts'

/** A share that the caller asks for. */
export interface WantedShare {
  file_id: string
  grantee_id: string
  /** Unix seconds; null: never. */
  expires_at: number | null
}

/** The conditions on which the caller may share a file with a user, and the statements that make room for the share. */
export interface ShareConditions {
  /** Whether the share would have expired already. */
  isPast: boolean
  /** SQL: whether a row of `shares` has the same file and grantee. */
  isSame: SQL
  /** SQL: a SELECT of the number of shares that the caller has with the grantee, up to MAX_SHARES_PER_GRANTEE. */
  countWithGrantee: SQL
  /** SQL: whether a row of `files` may be shared, after `releaseExpired` and the removal of the `hidden` shares. */
  canShare: SQL
  /** SQL: whether a row of `files` may be shared once these have run. For a check before the batch. */
  mayBeShared: SQL
  /**
   * SQL: whether a row of `shares` was erased with its grantee and still counts towards the limit of a full file
   * (MAX_SHARES_PER_FILE), because the job has not removed the row yet.
   */
  hidden: SQL
  /** The statements after which the expired shares of the caller's file do not count towards its limit. */
  releaseExpired: SQL[]
}

/** The conditions of one share. */
export function shareConditions(
  ctx: RequestContext,
  { file_id, grantee_id, expires_at }: WantedShare,
): ShareConditions {
  const { user_id, config } = ctx
  const { MAX_SHARES_PER_FILE, MAX_SHARES_PER_GRANTEE } = config
  const now = seconds(ctx)
  const isPast = hasExpired({ expires_at }, now)
  const isSame = sql`file_id = ${file_id} AND grantee_id = ${grantee_id}`
  const countWithGrantee = sql`SELECT count(*) FROM (SELECT 1 FROM shares
    WHERE grantee_id = ${grantee_id} AND owner_id = ${user_id} AND expired = 0 LIMIT ${MAX_SHARES_PER_GRANTEE})`
  const isFull = sql`share_count - expired_share_count >= ${MAX_SHARES_PER_FILE}`
  const isAllowed = (isRoomInFile: SQL) => sql`id = ${file_id} AND ${isLive(file_id, user_id)}
    AND processing_state = 'ready' AND ${isPast ? 0 : 1}
    AND (EXISTS (SELECT 1 FROM shares WHERE ${isSame} AND expired = 0)
      OR (${isRoomInFile} AND (${countWithGrantee}) < ${MAX_SHARES_PER_GRANTEE}))`
  const countReleased = sql`SELECT count(*) FROM shares WHERE file_id = ${file_id} AND expired = 0
    AND (expires_at <= ${now} OR NOT ${isNotErasedShare})`
  return {
    isPast,
    isSame,
    countWithGrantee,
    canShare: isAllowed(sql`NOT ${isFull}`),
    mayBeShared: isAllowed(sql`(NOT ${isFull}
      OR share_count - expired_share_count - (${countReleased}) < ${MAX_SHARES_PER_FILE})`),
    hidden: sql`id IN (SELECT shares.id FROM files CROSS JOIN shares ON shares.file_id = files.id
      WHERE files.id = ${file_id} AND files.owner_id = ${user_id} AND ${isFull} AND NOT ${isNotErasedShare})`,
    releaseExpired: releaseExpired(sql`FROM files WHERE id = ${file_id} AND owner_id = ${user_id}`, {
      file_id,
      isFull,
      now,
    }),
  }
}

/** The largest number of expired shares that a file keeps. */
const MAX_EXPIRED = 500

/**
 * The first statement flags the expired shares of a full file that the job has not flagged yet. The second deletes the
 * oldest expired shares beyond MAX_EXPIRED. `ownFile` is the rest of a SELECT of the file, if it is the caller's.
 */
function releaseExpired(
  ownFile: SQL,
  { file_id, isFull, now }: { file_id: string; isFull: SQL; now: number },
): SQL[] {
  return [
    sql`UPDATE shares SET expired = 1 WHERE file_id = ${file_id} AND expired = 0 AND expires_at <= ${now}
      AND EXISTS (SELECT 1 ${ownFile} AND ${isFull})`,
    sql`DELETE FROM shares WHERE id IN (
        SELECT id FROM shares WHERE file_id = ${file_id} AND expired = 1 ORDER BY expires_at
        LIMIT coalesce((SELECT max(0, expired_share_count - ${MAX_EXPIRED}) ${ownFile}), 0)
      )`,
  ]
}
