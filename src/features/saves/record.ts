import { inertContent } from '../../platform/lib/inert-content.ts'
import type { Save } from './schema.ts'

/** The headers of the bytes, which may have any type. */
export function contentHeaders({ mime_type, device, label, played_seconds }: Save): Record<string, string> {
  return {
    'Content-Type': mime_type,
    'Content-Disposition': 'attachment',
    ...inertContent,
    ...(device !== null && { 'Save-Device': encodeURIComponent(device) }),
    ...(label !== null && { 'Save-Label': encodeURIComponent(label) }),
    ...(played_seconds !== null && { 'Save-Played-Seconds': String(played_seconds) }),
  }
}
