import { getTableColumns, sql } from 'drizzle-orm'
import type { PublicContext } from '../../platform/context.ts'
import { isId } from '../../platform/db/id.ts'
import { files } from '../../platform/db/schema.ts'
import { columnsOf, keptStatements, type RowOf } from '../../platform/db/sql.ts'
import { isShown } from './row.ts'

const { mime_type, size_bytes } = getTableColumns(files)
const columns = { mime_type, size_bytes }

/** The columns of a file from which its picture is served. */
interface PictureRow extends RowOf<typeof columns> {}

const kept = keptStatements<PictureRow>()

/**
 * Reads the picture of a file with this content; undefined unless it is its owner's profile picture and shown. From the
 * primary: what its owner or a moderator has taken away is not served once more.
 *
 * @throws UNAVAILABLE
 */
export async function findPicture(
  { databases }: PublicContext,
  file_id: string,
  object_key: string,
): Promise<PictureRow | undefined> {
  if (!isId(file_id) || !isId(object_key)) return undefined
  const [picture] = await databases.of(file_id).read(
    kept(
      'picture',
      (slot) => sql`SELECT ${columnsOf(columns, 'item')} FROM files AS item
        CROSS JOIN profiles ON profiles.user_id = item.owner_id AND profiles.picture_id = item.id
        WHERE item.id = ${slot('file_id')} AND item.object_key = ${slot('object_key')} AND ${isShown}`,
      { file_id, object_key },
    ),
  )
  return picture
}
