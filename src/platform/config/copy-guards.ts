/*
 * Headers that keep a signed PUT from becoming a copy. S3 copies another object when a PUT has `x-amz-copy-source`, and a
 * copy ignores `If-None-Match`. If storage accepts this header unsigned, anybody who has the URL of a PUT can read any object
 * of the bucket (CVE-2026-54330, in servers for S3; R2 documents nothing about it). R2 rejects headers that it does not
 * implement with 501, so a guard may fail every PUT. `npm run deploy` finds out which guards R2 accepts
 * (scripts/deploy/copy-probe.ts), and writes them to `COPY_GUARDS_PUT` and `COPY_GUARDS_PART`.
 */

/**
 * Each of these makes every copy fail, and does not affect a PUT with a body: no object has this entity tag, and no bucket
 * has this owner. R2 documents the first only for copies of whole objects and the second for none, and rejects headers that
 * it does not implement: https://developers.cloudflare.com/r2/api/s3/api/ (CopyObject, UploadPartCopy).
 */
const refuseCopies = {
  'x-amz-copy-source-if-match': '"none"',
  'x-amz-source-expected-bucket-owner': 'none',
} as const

/** Makes a copy of a whole object take its source's metadata, which completion rejects: it requires that of the upload. */
const showCopies = { 'x-amz-metadata-directive': 'COPY' } as const

const values = { ...showCopies, ...refuseCopies }

/** The name of a header that guards a PUT. */
export type CopyGuard = keyof typeof values

/** The guards of the PUT of a part. */
export const partGuards = ['x-amz-copy-source-if-match', 'x-amz-source-expected-bucket-owner'] as const

/** The name of a guard of the PUT of a part. */
export type PartGuard = (typeof partGuards)[number]

/** The guards of the PUT of a whole object. */
export const putGuards = ['x-amz-metadata-directive', ...partGuards] as const

/** The name of a guard of the PUT of a whole object. */
export type PutGuard = (typeof putGuards)[number]

/** Whether a guard makes copies fail by itself, instead of only making them visible. */
export function refusesCopies(guard: CopyGuard): boolean {
  return guard in refuseCopies
}

/** The headers of these guards. */
export function guardHeaders(guards: readonly CopyGuard[]): Record<string, string> {
  return Object.fromEntries(guards.map((guard) => [guard, values[guard]]))
}

/** The prefix of the keys of objects that the probe of a deployment writes. No content has such a key. */
export const PROBES = '.probe/'
