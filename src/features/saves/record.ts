import type { Save } from './schema.ts'

/**
 * The headers of the bytes. They may have any type, so a browser may neither guess another one nor show them as a page of
 * this origin.
 */
export function contentHeaders({ mime_type, device, label, played_seconds }: Save): Record<string, string> {
  return {
    'Content-Type': mime_type,
    'Content-Disposition': 'attachment',
    'Content-Security-Policy': `default-src 'none'; sandbox`,
    'X-Content-Type-Options': 'nosniff',
    ...(device !== null && { 'Save-Device': encodeURIComponent(device) }),
    ...(label !== null && { 'Save-Label': encodeURIComponent(label) }),
    ...(played_seconds !== null && { 'Save-Played-Seconds': String(played_seconds) }),
  }
}
