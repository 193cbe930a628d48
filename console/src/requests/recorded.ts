/** The body of a request or an answer. */
export interface RecordedBody {
  mime_type: string
  /** Undefined when it is not known. */
  size_bytes: number | undefined
  /** JSON with a line for each member, and without secrets; undefined for other content, of which nothing is kept. */
  text: string | undefined
  /** Whether `text` is only the beginning. */
  is_cut: boolean
  /** Whether `text` lacks secrets that were sent. */
  is_masked: boolean
}

/** The headers and the body of a request or an answer. */
export interface RecordedMessage {
  headers: Record<string, string>
  body: RecordedBody | undefined
}

/** A recorded request, without its token. */
export interface RecordedRequest extends RecordedMessage {
  id: number
  method: string
  /** The whole URL; that of the bucket without its query, which is a signature. */
  url: string
  /** Whether it went to the service, and not to the bucket. */
  is_of_service: boolean
  /** When it was sent, in milliseconds since 1970. */
  at: number
  /** The status; undefined until the answer, 0 when none arrived. */
  status: number | undefined
  /** The code of an error response; `cancelled` or `no answer` when none arrived. */
  code: string | undefined
  ms: number | undefined
  answer: RecordedMessage | undefined
}

/** The JSON of a body; undefined when the log has not all of it. */
export function jsonIn(body: RecordedBody | undefined): unknown {
  if (body?.text === undefined || body.is_cut) return undefined
  try {
    return JSON.parse(body.text)
  } catch {
    return undefined
  }
}
