import { sql } from 'drizzle-orm'
import { type RequestContext, seconds } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/database.ts'
import { profiles } from '../../platform/db/schema.ts'
import { insert, type Params, statement } from '../../platform/db/sql.ts'
import { createdAt } from '../../platform/db/watermark.ts'
import { ApiError } from '../../platform/errors.ts'
import { isLive, isOwn, pathTo } from '../files/path.ts'
import { type ProfileRow, shownProfiles } from './read.ts'

/** The statement that chooses a picture. Choosing the same one again changes nothing. */
const choose = statement((p: Params<'user_id' | 'picture_id' | 'now'>) => {
  // Above the watermark of an erasure, so that the erasure leaves the choice of the new account alone.
  const row = { user_id: p.user_id, picture_id: p.picture_id, updated_at: createdAt(p.now, p.user_id) }
  const picture = sql`FROM files WHERE id = ${p.picture_id} AND asset_type = 'profile_pic' AND processing_state = 'ready'
    AND ${isLive(p.picture_id, p.user_id)}`
  return sql<{ user_id: string }>`${insert(profiles, row, picture)} ON CONFLICT (user_id) DO UPDATE
    SET picture_id = excluded.picture_id,
      updated_at = iif(picture_id = excluded.picture_id, updated_at, excluded.updated_at) RETURNING user_id`
})

const remove = statement(
  (p: Params<'user_id'>) =>
    sql<{ user_id: string }>`DELETE FROM profiles WHERE user_id = ${p.user_id} RETURNING user_id`,
)

/**
 * Chooses the caller's profile picture; null: none. The statement requires that the file is a live picture of the caller's
 * whose content is ready. Returns the profile; undefined without a picture that is shown, also when a moderator has blocked
 * the chosen one.
 *
 * @throws FILE_NOT_FOUND, VALIDATION_FAILED
 */
export async function setProfile(
  ctx: RequestContext,
  picture_id: string | null,
): Promise<ProfileRow | undefined> {
  const { profile } = await retryOnConflict(() => tryToSet(ctx, picture_id))
  ctx.ended.push(['profile', ctx.user_id])
  return profile
}

/** Undefined when nothing was written and the reason is gone. */
async function tryToSet(
  ctx: RequestContext,
  picture_id: string | null,
): Promise<{ profile: ProfileRow | undefined } | undefined> {
  const { db, user_id } = ctx
  const {
    written,
    profile: [profile],
  } = await db.write({
    written: picture_id === null ? remove({ user_id }) : choose({ user_id, picture_id, now: seconds(ctx) }),
    profile: shownProfiles({ user_ids: JSON.stringify([user_id]) }),
  })
  if (picture_id === null || written.length > 0) return { profile }
  const path = await db.read(pathTo({ id: picture_id }))
  if (!isOwn(path, user_id)) throw new ApiError('FILE_NOT_FOUND')
  const [file] = path
  if (file?.asset_type !== 'profile_pic') throw wrongPicture('must be a file of the type profile_pic.')
  if (file.processing_state !== 'ready') throw wrongPicture('must be a picture whose content is ready.')
  return undefined
}

function wrongPicture(message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', {
    detail: `picture_id: ${message}`,
    errors: [{ in: 'body', path: '/picture_id', message }],
  })
}
