import { developmentToken, type SignInRequest } from './development.ts'

/** The user of a pane. A pasted token stays in memory only; tokens of a made-up user are fetched when needed. */
export interface Identity extends SignInRequest {
  token?: string
}

/** The tokens of one pane, for its clients and its requests beside them. */
export class Tokens {
  #identity: Identity
  #token: Promise<string> | undefined

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** The current token, or with `renew` a new one. @throws DevelopmentError */
  readonly get = async ({ renew } = { renew: false }): Promise<string> => {
    if (this.#identity.token !== undefined) return this.#identity.token
    if (renew) this.#token = undefined
    this.#token ??= developmentToken(this.#identity).catch((error: unknown) => {
      this.#token = undefined
      throw error
    })
    return this.#token
  }

  /** Takes tokens of another identity from now on: the same user with other scopes. */
  readonly become = (identity: Identity): void => {
    this.#identity = identity
    this.#token = undefined
  }
}
