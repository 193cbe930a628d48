import 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: the notes that plans of its statements need (plans.ts). */
    usedPlanNotes?: string[]
  }
  /** What set-up in Node hands to the tests in the Workers runtime: see login.ts. */
  interface ProvidedContext {
    /** See vitest.config.ts. `amount` 0: the short run; `replay`: what a failed run has printed. */
    proof: { seed: number; amount: number; replay: string; rounds: number; brief: boolean }
    /** What the tests of test/acceptance know of the service that they run against: see scripts/acceptance.ts. Empty: not given. */
    acceptance: {
      origin: string
      isDevelopment: boolean
      /** How large an upload in parts is; 0: none is sent. */
      multipart_bytes: number
      allowed_origin: string
      expired_token: string
      foreign_token: string
    }
    /** Where the servers are asked for that files of a project share (test/e2e/shared-servers.ts). */
    sharedServers: { url: string }
    /** The folder of what test/csharp/build.ts compiles. */
    csharp: string
    /** See test/e2e/browser/shared-server.ts. */
    sharedServer: { port: number }
    /** Where the receivers of webhooks are, see receiver-server.ts. */
    receiver: { url: string }
    login: {
      url: string
      keys: { alg: 'RS256' | 'ES256' | 'EdDSA'; public_key: string; private_key: string }[]
    }
  }
}
