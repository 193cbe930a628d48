import type { ContentCheck } from '../../platform/context.ts'
import type { FileRow } from '../files/row.ts'

/** What an upload that is to be completed says about its content. */
interface Arrived {
  upload: { mime_type: string; asset_type: string | null; check_state: string | null }
  file: Pick<FileRow, 'asset_type'> | undefined
  asset: { type: string } | undefined
}

/** The kind that stands for all content. */
const ALL = '*'

/**
 * Whether content has to be checked before it is ready: its verdict has not come, and CONTENT_CHECK_KINDS has its kind, its
 * MIME type, or the group of its MIME type.
 */
export function mustBeChecked({ check }: { check: ContentCheck | undefined }, arrived: Arrived): boolean {
  const { upload, file, asset } = arrived
  if (!check || upload.check_state === 'ready') return false
  return isCheckedKind(check, file?.asset_type ?? upload.asset_type ?? asset?.type, upload.mime_type)
}

/** Whether CONTENT_CHECK_KINDS has this kind, this MIME type, or the group of this MIME type. */
export function isCheckedKind(check: ContentCheck, kind: string | undefined, mime_type: string): boolean {
  const group = mime_type.replace(/\/.*/, '/*')
  return check.kinds.some((one) => one === ALL || one === kind || one === mime_type || one === group)
}
