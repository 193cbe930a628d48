import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { type announcementList, announcements } from '../../platform/db/schema.ts'
import { columnsOf, type Params, type Prepared, type RowOf, statement } from '../../platform/db/sql.ts'
import type { Announcement } from './schema.ts'

const { id, number, type, data, expires_at, created_at, request_hash } = getTableColumns(announcements)
const columns = { id, number, type, data, expires_at, created_at, request_hash }

/** SQL: the columns of an AnnouncementRow. */
export const announcementColumns = columnsOf(columns)

/** A row of `announcements`. Its data are JSON. */
export interface AnnouncementRow extends RowOf<typeof columns> {}

/** An announcement as the API shows it. */
export function announcementRecord(row: AnnouncementRow): Announcement {
  const { id, type, data, expires_at, created_at } = row
  return { id, type, data: JSON.parse(data), expires_at, created_at }
}

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

type ListRow = Pick<typeof announcementList.$inferSelect, 'version'>

const readVersion = statement(() => sql<ListRow>`SELECT version FROM announcement_list WHERE one = 1`)

const readInForce = statement(
  (p: Params<'now'>) =>
    sql<AnnouncementRow>`SELECT ${announcementColumns} FROM announcements WHERE expires_at > ${p.now}`,
)

/** The statements that read all announcements that are in force at `now` (Unix seconds), and the version of their list. */
export function wholeList(now: number): [Prepared<ListRow>, Prepared<AnnouncementRow>] {
  return [readVersion(), readInForce({ now })]
}

/** The list in the answers to `wholeList`. */
export function listOf([list]: readonly ListRow[], rows: readonly AnnouncementRow[]): Announcements {
  const announcements = rows.map(({ number, type, data, expires_at }) => ({
    number,
    type,
    data: JSON.parse(data),
    expires_at,
  }))
  return { version: list?.version ?? 0, announcements }
}

/** SQL: the version of the list after a change at `now_ms`. */
export function nextVersion(now_ms: SQL): SQL {
  return sql`max(version + 1, ${now_ms})`
}

/** The statement that gives the list its next version, if the statement right before it has changed a row. */
export const raiseVersion = statement(
  (p: Params<'now_ms'>) =>
    sql`UPDATE announcement_list SET version = ${nextVersion(p.now_ms)} WHERE one = 1 AND changes() > 0`,
)
