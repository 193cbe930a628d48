import { inertContent } from '../../platform/lib/inert-content.ts'
import { contentDisposition } from '../../platform/storage/content-disposition.ts'
import type { Content } from './read.ts'

/** The headers of an answer that is the content of a file, which may have any type. */
export function contentHeaders({ file: { name, mime_type, size_bytes }, status }: Content) {
  return {
    'Content-Type': mime_type,
    ...(status === 200 && { 'Content-Length': String(size_bytes) }),
    'Content-Disposition': contentDisposition(name, mime_type),
    ...inertContent,
  }
}
