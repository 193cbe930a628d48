/** The prefix of every secret that scripts/development.ts generates. */
export const DEVELOPMENT_SECRET = 'development-'

/** The prefix of a webhook's secret in development: DEVELOPMENT_SECRET in base64. */
export const DEVELOPMENT_WEBHOOK_SECRET = `whsec_${btoa(DEVELOPMENT_SECRET)}`

/** For each variable, whether a value may be used in development only. */
const isForDevelopment: Record<string, (value: string) => boolean> = {
  JWT_SECRET: (value) => value.startsWith(DEVELOPMENT_SECRET),
  JWKS_URL: (value) => value.startsWith('http:'),
  S3_ENDPOINT: (value) => value === 'local' || value.startsWith('http:'),
  S3_ACCESS_KEY_ID: (value) => value === 'local-access-key',
  S3_SECRET_ACCESS_KEY: (value) => value === 'local-secret-key',
  WEBHOOK_URL: (value) => value.startsWith('http:'),
  WEBHOOK_SECRET: (value) => value.includes(DEVELOPMENT_WEBHOOK_SECRET),
  CONTENT_CHECK_URL: (value) => value.startsWith('http:'),
  CONTENT_CHECK_SECRET: (value) => value.includes(DEVELOPMENT_WEBHOOK_SECRET),
}

/** A line for each variable with a value that only development may use. Call it outside development. */
export function developmentProblems(set: Record<string, unknown>): string[] {
  return Object.entries(isForDevelopment)
    .filter(([name, isOf]) => typeof set[name] === 'string' && isOf(set[name]))
    .map(([name]) => `${name} has a value that is for development, and DEVELOPMENT is not set`)
}

/**
 * Whether the hostname of a parsed URL is this machine's or one of a private network (RFC 1918, 3927, 4193, 4291, 6761,
 * 6762). The platform routes requests by host, so a deployment never gets one with such a host.
 */
export function isPrivateHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return /^\[(::1\]|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/.test(hostname)
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname))
    return hostname === '0.0.0.0' || /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./.test(hostname)
  return !hostname.includes('.') || /\.(localhost|local|internal)$/.test(hostname)
}

/**
 * Whether the hostname of a parsed URL is a name that the public DNS may have: no address, and no name of this machine or
 * of a private network. Events and checks of content are sent to such hosts only.
 */
export function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  const isAddress = name.startsWith('[') || /^[\d.]+$/.test(name)
  return !isAddress && !isPrivateHost(name) && !/(^|\.)(home\.arpa|test|invalid|onion)$/.test(name)
}
