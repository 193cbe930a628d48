import type { Env } from '../../platform/config/env.ts'
import type { Config } from '../../platform/config/variables.ts'
import { POST_TIMEOUT_MS, type Refusal, signedPost } from '../events/signed-post.ts'

/** The content checker: the studio's server, or a bound Worker. */
export interface Checker {
  /** Sends a signed message. Returns why the checker did not accept it, undefined when it did. */
  post: (message: { id: string; timestamp: number; body: string }) => Promise<Refusal | undefined>
}

/** The URL of requests to a bound Worker. A service binding ignores the host. */
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
