import sql from 'sql-template-tag'

/** A row of `shares`, which is also what the API shows (specification §2.3). */
export interface ShareRow {
  id: string
  file_id: string
  grantee_id: string
  permission: 'view' | 'edit'
  /** Unix seconds; null: never. From that second on the share has expired. */
  expires_at: number | null
  created_at: number
}

export const shareColumns = sql`id, file_id, grantee_id, permission, expires_at, created_at`

/** Whether a share has expired at a time in Unix seconds. */
export function hasExpired({ expires_at }: ShareRow, now: number): boolean {
  return expires_at !== null && expires_at <= now
}
