/**
 * Lists the next objects after a key with their custom metadata, at most `limit`. Without any, there are none after the key.
 * With metadata R2 may return fewer objects than the limit, and only `truncated` says whether there are more
 * (https://developers.cloudflare.com/r2/api/workers/workers-api-reference/#r2listoptions; since the compatibility date
 * 2022-08-04 it returns the metadata that `include` names). A page without an object has no key to go on after, so this
 * goes on with its cursor.
 */
export async function listContent(bucket: R2Bucket, after: string, limit: number): Promise<R2Objects> {
  const options: R2ListOptions = { limit, startAfter: after, include: ['customMetadata'] }
  let listed = await bucket.list(options)
  while (listed.truncated && listed.objects.length === 0)
    listed = await bucket.list({ ...options, cursor: listed.cursor })
  return listed
}
