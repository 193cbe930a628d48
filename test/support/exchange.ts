/** What the service answered. */
export interface Answer {
  status: number
  headers: Headers
  body: unknown
  text: string
}

export interface RequestOptions {
  headers?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: BodyInit
}
