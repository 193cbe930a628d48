import type { ContentCheck } from '../../platform/context.ts'
import type { FileRow } from '../files/row.ts'

/** An upload that is to be completed, as far as it says what its content is. */
interface Arrived {
  upload: { mime_type: string; asset_type: string | null; check_state: string | null }
  file: Pick<FileRow, 'asset_type'> | undefined
  asset: { type: string } | undefined
}

/** What every content is of. */
const ALL = '*'

/**
 * Whether content has to be checked before it is ready: no verdict on it has come, and its kind or its type is one that the
 * check is for.
 */
export function mustBeChecked({ check }: { check: ContentCheck | undefined }, arrived: Arrived): boolean {
  const { upload, file, asset } = arrived
  if (!check || upload.check_state === 'ready') return false
  const kind = file?.asset_type ?? upload.asset_type ?? asset?.type
  const { mime_type } = upload
  const group = mime_type.replace(/\/.*/, '/*')
  return check.kinds.some((one) => one === ALL || one === kind || one === mime_type || one === group)
}
