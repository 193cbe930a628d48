/**
 * A token of your login, or a function that returns one. The client calls the function before each request, so the function
 * should cache the token while it is valid. After an answer 401 the client calls it once more with `renew: true`, for a new
 * token.
 */
export type TokenSource = string | ((request: { renew: boolean }) => string | Promise<string>)
