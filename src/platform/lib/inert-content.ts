/**
 * The headers of an answer whose bytes a player has sent. The answer has the service's own origin, so a browser may neither run
 * any of it nor guess another type.
 */
export const inertContent = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
} as const
