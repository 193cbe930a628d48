import type { StorageContext } from '../context.ts'
import { type Verdict, verifyObject } from './inspect.ts'
import { isMultipart, joinParts, missingParts, type UploadedPart, uploadedParts } from './multipart.ts'
import type { UploadAndTarget, UploadRow } from './record.ts'

/**
 * What has come of an upload: joins its parts first if it has any, then looks at the object. That the parts can't be
 * joined is no answer yet: they may have been joined before, by a Worker that died.
 *
 * @throws UNAVAILABLE when R2 does not answer
 */
export async function examine(
  ctx: StorageContext,
  { upload, file }: UploadAndTarget,
  given: UploadedPart[] | undefined,
): Promise<Verdict> {
  const obstacle = await obstacleToJoining(ctx, upload, given ?? uploadedParts(upload))
  const verdict = await verifyObject(ctx, upload, file?.asset_type ?? 'file')
  return verdict.verdict === 'missing' && obstacle ? { verdict: 'missing', detail: obstacle } : verdict
}

/** Joins the parts of an upload that has some. Tells, for the client, what keeps them from being joined. */
async function obstacleToJoining(
  ctx: StorageContext,
  upload: UploadRow,
  parts: UploadedPart[],
): Promise<string | undefined> {
  if (!isMultipart(upload)) return undefined
  const missing = missingParts(upload, parts)
  if (missing.length > 0)
    return `Send what is missing, and complete with its ETags: part ${inWords(missing)}.`
  const expectedOnly = parts.filter(
    ({ part_number }) => (part_number - 1) * upload.part_size < upload.size_bytes,
  )
  const outcome = await joinParts(ctx, upload, expectedOnly)
  return outcome === 'refused'
    ? 'A part with one of these ETags has not arrived. Send that part again, and complete with its new ETag.'
    : undefined
}

const MOST_NAMED = 20

function inWords(numbers: number[]): string {
  const named = numbers.slice(0, MOST_NAMED).join(', ')
  return numbers.length > MOST_NAMED ? `${named} and ${numbers.length - MOST_NAMED} more` : named
}
