import { formatJson } from '../json.ts'
import type { RecordedBody } from './recorded.ts'

/** The most characters of a body that the log keeps. */
const MOST_KEPT = 16 * 1024

/** Records a body of JSON. */
export function jsonBody(mime_type: string, sent: string): RecordedBody {
  const size_bytes = new TextEncoder().encode(sent).length
  const formatted = formatJson(sent) ?? sent
  const text = withoutSecrets(formatted)
  const is_cut = text.length > MOST_KEPT
  return { mime_type, size_bytes, text: text.slice(0, MOST_KEPT), is_cut, is_masked: text !== formatted }
}

/** Records the type and the size of content. */
export function contentBody(mime_type: string, size_bytes: number | undefined): RecordedBody {
  return { mime_type, size_bytes, text: undefined, is_cut: false, is_masked: false }
}

/** Whether a Content-Type is that of JSON, or of an error. */
export function isJson(contentType: string): boolean {
  return /^application\/(problem\+)?json\b/.test(contentType)
}

/** JSON without the queries of signed URLs, which grant access while they are valid, and without tokens. */
function withoutSecrets(json: string): string {
  return json
    .replaceAll(/(https?:(?:\\?\/){2}[^"?\s]*\?)[^"\s]*signature=[^"\s]*/gi, '$1SIGNED')
    .replaceAll(/("token":\s*)"(?:[^"\\]|\\.)*"/g, '$1"TOKEN"')
    .replaceAll(/\beyJ[\w-]*\.[\w-]*\.[\w-]*/g, 'TOKEN')
}
