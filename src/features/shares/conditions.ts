import { type SQL, sql } from 'drizzle-orm'
import type { Bindable, Params } from '../../platform/db/sql.ts'
import { isLive } from '../files/path.ts'
import { isNotErasedShare, type ShareRow } from './row.ts'

/** The parameters of a share that is written. */
export type ShareParams = Params<
  | 'id'
  | 'file_id'
  | 'grantee_id'
  | 'user_id'
  | 'permission'
  | 'expires_at'
  | 'now'
  | 'erased_until'
  | 'max_of_file'
  | 'max_with_grantee'
>

/** The values of ShareParams. `expires_at` and `now` are in Unix seconds. */
export type NewShare = { [Name in keyof ShareParams]: Bindable } & Pick<ShareRow, 'id' | 'grantee_id'>

/** SQL: whether a row of `shares` has the same file and grantee. */
export const isSame = (p: Params<'file_id' | 'grantee_id'>) =>
  sql`file_id = ${p.file_id} AND grantee_id = ${p.grantee_id}`

/** SQL: a SELECT of the number of shares that the caller has with the grantee, up to the limit. */
export const countWithGrantee = (
  p: Params<'grantee_id' | 'user_id' | 'max_with_grantee'>,
) => sql`SELECT count(*) FROM (
  SELECT 1 FROM shares WHERE grantee_id = ${p.grantee_id} AND owner_id = ${p.user_id} AND expired = 0 LIMIT ${p.max_with_grantee})`

export const isFull = (p: ShareParams) => sql`share_count - expired_share_count >= ${p.max_of_file}`

/** SQL: whether a row of `files` may be shared. */
export const isAllowed = (
  p: ShareParams,
  isRoomInFile: SQL,
) => sql`id = ${p.file_id} AND ${isLive(p.file_id, p.user_id)}
    AND processing_state = 'ready' AND (${p.expires_at} IS NULL OR ${p.expires_at} > ${p.now})
    AND (EXISTS (SELECT 1 FROM shares WHERE ${isSame(p)} AND expired = 0)
      OR (${isRoomInFile} AND (${countWithGrantee(p)}) < ${p.max_with_grantee}))`

/**
 * SQL: whether a row of `files` may be shared once the statements that make room have run. For a check before the batch: a
 * refused share must not write into another user's home.
 */
export const mayBeShared = (p: ShareParams) =>
  isAllowed(
    p,
    sql`(NOT ${isFull(p)} OR share_count - expired_share_count - (
      SELECT count(*) FROM shares WHERE file_id = ${p.file_id} AND expired = 0
        AND (expires_at <= ${p.now} OR NOT ${isNotErasedShare})) < ${p.max_of_file})`,
  )

/** SQL: whether the same share was erased with its grantee. */
export const isErased = (p: ShareParams) =>
  sql`${isSame(p)} AND (created_at <= ${p.erased_until} OR NOT ${isNotErasedShare})`

/**
 * SQL: whether a row of `shares` was erased with its grantee and still counts towards the limit of a full file, because the
 * job has not removed the row yet.
 */
export const isHidden = (
  p: ShareParams,
) => sql`id IN (SELECT shares.id FROM files CROSS JOIN shares ON shares.file_id = files.id
      WHERE files.id = ${p.file_id} AND files.owner_id = ${p.user_id} AND ${isFull(p)} AND NOT ${isNotErasedShare})`
