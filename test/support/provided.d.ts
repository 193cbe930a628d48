import 'vitest'

declare module 'vitest' {
  /** What set-up in Node hands to the tests in the Workers runtime: see login.ts. */
  interface ProvidedContext {
    login: {
      url: string
      keys: { alg: 'RS256' | 'ES256' | 'EdDSA'; public_key: string; private_key: string }[]
    }
  }
}
