import { inertContent } from '../../platform/lib/inert-content.ts'
import type { Save } from './schema.ts'

/** The headers of the bytes, which may have any type. */
export function contentHeaders(save: Save): Record<string, string> {
  const { mime_type, size_bytes, device, label, played_seconds } = save
  return {
    'Content-Type': mime_type,
    'Content-Length': String(size_bytes), // HEAD has no body that would tell
    'Content-Disposition': 'attachment',
    ...inertContent,
    ...(device !== null && { 'Save-Device': encodeURIComponent(device) }),
    ...(label !== null && { 'Save-Label': encodeURIComponent(label) }),
    ...(played_seconds !== null && { 'Save-Played-Seconds': String(played_seconds) }),
  }
}
