import { type SQL, sql } from 'drizzle-orm'
import { joined } from '../../platform/db/sql.ts'

/** SQL: the users whose rows a SELECT finds, as the beginning of its FROM clause and the id of each user in it. */
export interface Owners {
  from: SQL
  id: SQL
}

/** SQL: the users of a JSON array of ids. */
export function ownersIn(users: string): Owners {
  return { from: sql`json_each(${users}) AS owner CROSS JOIN`, id: sql`owner.value` }
}

/** Indexes that together hold every row of an owner, each row in one of them. */
type Parts = readonly { index: string; condition: string }[]

const ofBlockedFiles = { index: 'files_blocked', condition: 'blocked = 1' }

const ofFiles: Parts = [
  ofBlockedFiles,
  { index: 'files_by_name', condition: 'trashed_at IS NULL AND blocked = 0' },
  { index: 'files_in_trash', condition: 'trashed_at IS NOT NULL AND purging = 0 AND blocked = 0' },
  { index: 'files_purging', condition: 'purging = 1 AND blocked = 0' },
]

const ofAssets: Parts = [
  { index: 'game_assets_own', condition: 'deleted_at IS NULL' },
  { index: 'game_assets_deleted', condition: 'deleted_at IS NOT NULL AND purging = 0' },
  { index: 'game_assets_purging', condition: 'purging = 1' },
]

/** SQL: a SELECT of columns of the users' files. */
export function filesOf(owners: Owners, columns: readonly string[] = ['id']): SQL {
  return ownedRows('files', ofFiles, owners, columns)
}

/** SQL: a SELECT of the ids of the users' blocked files. */
export function blockedFilesOf(owners: Owners): SQL {
  return ownedRows('files', [ofBlockedFiles], owners, ['id'])
}

/** SQL: a SELECT of columns of the users' assets. */
export function assetsOf(owners: Owners, columns: readonly string[] = ['id']): SQL {
  return ownedRows('game_assets', ofAssets, owners, columns)
}

const ofUploadsOfAssets: Parts = [{ index: 'uploads_of_assets', condition: "upload_type = 'game_asset'" }]

/** SQL: a SELECT of columns of the users' uploads. Uploads of files are found by their files. */
export function uploadsOf(owners: Owners, columns: readonly string[] = ['id']): SQL {
  return sql`SELECT ${named('uploads', columns)} FROM (${filesOf(owners)}) AS file
      CROSS JOIN uploads INDEXED BY uploads_of_file ON file_id = file.id
    UNION ALL ${ownedRows('uploads', ofUploadsOfAssets, owners, columns)}`
}

function ownedRows(table: string, parts: Parts, { from, id }: Owners, columns: readonly string[]): SQL {
  const selects = parts.map(
    ({ index, condition }) => sql`SELECT ${named(table, columns)} FROM
      ${from} ${sql.raw(table)} INDEXED BY ${sql.raw(index)} WHERE owner_id = ${id} AND ${sql.raw(condition)}`,
  )
  return joined(selects, ' UNION ALL ')
}

function named(table: string, columns: readonly string[]): SQL {
  return sql.raw(columns.map((column) => `${table}.${column}`).join(', '))
}
