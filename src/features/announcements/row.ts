import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { announcementList, announcements } from '../../platform/db/schema.ts'
import { columnsOf, type RowOf } from '../../platform/db/sql.ts'

const { id, number, type, data, expires_at, created_at, request_hash } = getTableColumns(announcements)
const columns = { id, number, type, data, expires_at, created_at, request_hash }

/** SQL: the columns of an AnnouncementRow. */
export const announcementColumns = columnsOf(columns)

/** A row of `announcements`. Its data are JSON. */
export interface AnnouncementRow extends RowOf<typeof columns> {}

/** The announcements that are in force, at a version of their list. */
export interface Announcements {
  version: number
  announcements: {
    /** The version of the list that it began with. */
    number: number
    type: string
    data: object
    /** Unix seconds. */
    expires_at: number
  }[]
}

const { version } = getTableColumns(announcementList)

/** The statements that read all announcements that are in force at `now` (Unix seconds), and the version of their list. */
export function wholeList(now: number): [SQL<RowOf<{ version: typeof version }>>, SQL<AnnouncementRow>] {
  return [
    sql`SELECT version FROM announcement_list WHERE one = 1`,
    sql`SELECT ${announcementColumns} FROM announcements WHERE expires_at > ${now}`,
  ]
}

/** The list in the answers to `wholeList`. */
export function listOf(
  [list]: readonly { version: number }[],
  rows: readonly AnnouncementRow[],
): Announcements {
  const announcements = rows.map(({ number, type, data, expires_at }) => ({
    number,
    type,
    data: JSON.parse(data),
    expires_at,
  }))
  return { version: list?.version ?? 0, announcements }
}

/** SQL: the version of the list after a change at `now_ms`. */
export function nextVersion(now_ms: number): SQL {
  return sql`max(version + 1, ${now_ms})`
}

/** The statement that gives the list its next version, if the statement right before it has changed a row. */
export function raiseVersion(now_ms: number): SQL {
  return sql`UPDATE announcement_list SET version = ${nextVersion(now_ms)} WHERE one = 1 AND changes() > 0`
}
