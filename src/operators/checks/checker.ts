import type { Env } from '../../platform/config/env.ts'
import type { Config } from '../../platform/config/variables.ts'
import { POST_TIMEOUT_MS, type Refusal, signedPost } from '../events/signed-post.ts'

/** Who checks content: a server of the studio's, or a Worker that is bound. */
export interface Checker {
  /** Sends a message, signed. Returns why it was not taken. */
  post: (message: { id: string; timestamp: number; body: string }) => Promise<Refusal | undefined>
}

/** The address that a bound Worker is asked at. It is the path that counts. */
const BOUND = 'https://content-check/'

/** The configured checker; undefined without one. */
export function checkerOf({ CONTENT_CHECK }: Env, config: Config): Checker | undefined {
  const { CONTENT_CHECK_URL: url, CONTENT_CHECK_SECRET: secrets = [] } = config
  if (CONTENT_CHECK)
    return {
      post: (message) =>
        signedPost(BOUND, secrets, message, POST_TIMEOUT_MS, (address, request) =>
          CONTENT_CHECK.fetch(address, request),
        ),
    }
  return url === undefined ? undefined : { post: (message) => signedPost(url, secrets, message) }
}
