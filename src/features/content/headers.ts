import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { Content } from './read.ts'

/**
 * The headers of an answer that is the content of a file. The answer has the service's own origin, so a browser must run
 * nothing of it, whatever its type is.
 */
export function contentHeaders({ file: { name, mime_type, size_bytes }, status }: Content) {
  return {
    'Content-Type': mime_type,
    ...(status === 200 && { 'Content-Length': String(size_bytes) }),
    'Content-Disposition': contentDisposition(name, mime_type),
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
  }
}
