import { developmentToken } from '../../../../scripts/development.ts'

/** A login whose tokens live four to seven seconds: on a busy machine a request takes one or two. Now and then it keeps a token that is to be renewed until it expires. */
export class ShortTokens {
  minted = 0
  readonly #user: string
  readonly #random: () => number
  #token = ''
  #expires_at = 0

  constructor(user: string, random: () => number) {
    this.#user = user
    this.#random = random
  }

  async get({ renew }: { renew: boolean }): Promise<string> {
    const isExpiring = Date.now() / 1_000 >= this.#expires_at - 0.2
    if (isExpiring || (renew && this.#random() < 0.5)) {
      const expires_in = 4 + Math.floor(this.#random() * 4)
      this.#expires_at = Math.floor(Date.now() / 1_000) + expires_in
      this.#token = await developmentToken(this.#user, { expires_in })
      this.minted++
    }
    return this.#token
  }
}
