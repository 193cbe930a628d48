/**
 * A token of your login, or a function that returns one. The client calls the function before each request, so the function
 * should cache the token while it is valid. After an answer 401 the client calls it once more with `renew: true`, for a new
 * token.
 */
export type TokenSource = string | ((request: { renew: boolean }) => string | Promise<string>)

/** @throws TypeError for what is neither: a setting that was forgotten, or a session that has ended */
export function checkedSource(source: TokenSource): TokenSource {
  if (typeof source !== 'function') checkedToken(source)
  return source
}

/** @throws TypeError for an empty token, and for what is none */
export function checkedToken(token: string): string {
  if (typeof token === 'string' && token !== '') return token
  const given = token === '' ? 'empty' : String(token)
  throw new TypeError(
    `token is ${given}: give createClient a token of your login, or a function that returns one.`,
  )
}
