import { developmentToken, health } from './health.ts'

/** The part of Scalar's standalone build that is used. */
interface Scalar {
  createApiReference(selector: string, configuration: Record<string, unknown>): unknown
}

declare global {
  var Scalar: Scalar
}

/** A token to try requests with on a development server; '' elsewhere, or when the server makes none. */
async function tokenToTry(): Promise<string> {
  const { is_development } = await health()
  return is_development ? developmentToken('ada').catch(() => '') : ''
}

// Links that name no description mean the one for clients.
if (/^#(tag|model|description)\b/.test(location.hash))
  history.replaceState(null, '', `#api/${location.hash.slice(1)}`)

const token = await tokenToTry()

globalThis.Scalar.createApiReference('#reference', {
  sources: [
    { title: 'Games and services', slug: 'api', url: '/openapi.json', default: true },
    { title: 'Operators’ commands', slug: 'operators', url: '/openapi.operators.json' },
  ],
  // Loads and sends nothing except to this host: no fonts, no proxy, no telemetry, no other client.
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  theme: 'default',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: {
    preferredSecurityScheme: 'bearer',
    securitySchemes: { bearer: { token } },
  },
})
