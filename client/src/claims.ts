/** The claims of a JWT; undefined when it can't be read. They are not verified: the service does that. */
export function claimsOf(token: string): object | undefined {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    // The bytes are UTF-8, and some runtimes lack TextDecoder.
    const escaped = bytes.replace(/[\s\S]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
    const claims: unknown = JSON.parse(decodeURIComponent(escaped))
    return typeof claims === 'object' && claims !== null ? claims : undefined
  } catch {
    return undefined
  }
}

/** The user of a JWT (`sub`); undefined when it can't be read. */
export function userOf(token: string): string | undefined {
  const claims = claimsOf(token) ?? {}
  return 'sub' in claims && typeof claims.sub === 'string' ? claims.sub : undefined
}
