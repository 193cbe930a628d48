/**
 * A token of your login, or a function that returns one. The function is called before each request, so it should keep
 * the token while it is valid. After an answer 401 it is called once more with `renew: true`; it then returns a new token.
 */
export type TokenSource = string | ((request: { renew: boolean }) => string | Promise<string>)
