/** The sender of a request, from its token. */
export interface Caller {
  user_id: string
  scopes: ReadonlySet<string>
  /** When the token expires, in Unix seconds. */
  expires_at: number
}
