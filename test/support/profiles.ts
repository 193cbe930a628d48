import { expect } from 'vitest'
import { isAnyBlocked, lifecycleOf, pathTo } from '../../src/features/files/path.ts'
import type { FileRow } from '../../src/features/files/row.ts'
import { findPicture, readProfiles } from '../../src/features/profiles/read.ts'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { startUpload } from '../../src/features/uploads/start.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import { there } from './acts.ts'
import { arrive } from './content.ts'
import { everywhere } from './databases.ts'
import { gif } from './pictures.ts'

const declared = { size_bytes: gif.length, mime_type: 'image/gif', checksum_sha256: undefined }

/** A file that can be a profile picture. */
export async function picture(work: RequestContext, name: string, parent_id: string | null = null) {
  const asset_type = 'profile_pic' as const
  const { upload } = await startUpload(work, { purpose: 'file', name, asset_type, parent_id, ...declared })
  await arrive(upload.id, gif, 'image/gif')
  return there((await completeUpload(work, upload.id)).file)
}

/** An upload of other content for a picture, whose bytes have arrived. */
export async function otherContent(work: RequestContext, file_id: string): Promise<string> {
  const { upload } = await startUpload(
    work,
    { purpose: 'replacement', file_id, ...declared },
    undefined,
    null,
  )
  await arrive(upload.id, gif, 'image/gif')
  return upload.id
}

/** A file and its content, as the URL of a picture names them. */
export interface Seen {
  picture_id: string
  object_key: string | null
}

/** The user's picture as a profile shows it now; undefined without one. */
export async function seen(work: RequestContext, user_id: string): Promise<Seen | undefined> {
  const [profile] = await readProfiles(work, [user_id])
  return profile && { picture_id: profile.picture_id, object_key: profile.object_key }
}

/** Whether the URL of a picture is served now. */
export async function isServed(work: RequestContext, { picture_id, object_key }: Seen): Promise<boolean> {
  return (await findPicture(work, picture_id, object_key ?? '')) !== undefined
}

/** The user's picture by the rows alone: the chosen one, if it is live and not blocked. */
async function truth(work: RequestContext): Promise<Seen | undefined> {
  const [row] = await everywhere<{ picture_id: string }>(
    'SELECT picture_id FROM profiles WHERE user_id = ?',
    work.user_id,
  )
  if (!row) return undefined
  const path = await work.db.read<FileRow>(pathTo({ id: row.picture_id }))
  const [file] = path
  if (!file || lifecycleOf(path) !== 'live' || isAnyBlocked(path)) return undefined
  return { picture_id: file.id, object_key: file.object_key }
}

/** Fails unless the profile shows what the rows say, and of all these URLs that one alone is served. */
export async function expectTrue(work: RequestContext, urls: readonly (Seen | undefined)[]): Promise<void> {
  const shown = await truth(work)
  expect(await seen(work, work.user_id)).toEqual(shown)
  for (const url of [...urls, shown])
    if (url) expect(await isServed(work, url), JSON.stringify(url)).toBe(isSame(url, shown))
}

function isSame(one: Seen | undefined, other: Seen | undefined): boolean {
  return one?.picture_id === other?.picture_id && one?.object_key === other?.object_key
}
