/** The answer of /health, or the reason why there is none. */
export interface Health {
  is_well: boolean
  is_development: boolean
  /** Whether this server makes tokens of made-up users. */
  makes_tokens: boolean
  has_console: boolean
  /** The reason, when the service is not well. */
  detail: string
}

export async function health(): Promise<Health> {
  try {
    const response = await fetch('/health', { signal: AbortSignal.timeout(15_000) })
    const {
      development = false,
      makes_tokens = false,
      console = false,
      detail = `/health answered ${response.status}.`,
    } = await response.json()
    return {
      is_well: response.ok,
      is_development: development === true,
      makes_tokens: makes_tokens === true,
      has_console: console === true,
      detail: String(detail),
    }
  } catch {
    return {
      is_well: false,
      is_development: false,
      makes_tokens: false,
      has_console: false,
      detail: 'The service does not answer.',
    }
  }
}

/** A token of the development server. @throws Error with the reason for the user */
export async function developmentToken(user_id: string, scope = ''): Promise<string> {
  const response = await fetch('/development/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user_id, ...(scope && { scope }) }),
  })
  const { token, detail } = await response.json()
  if (!response.ok) throw new Error(String(detail ?? response.status))
  return String(token)
}
