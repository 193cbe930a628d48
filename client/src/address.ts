/**
 * The base URL of the service, without a trailing slash.
 *
 * @throws TypeError when `baseUrl` is missing, is no http(s) URL, or ends in `/v1`
 */
export function serviceAddress(baseUrl: string): string {
  // A setting that an application has forgotten arrives as undefined, although the type is string.
  const given = baseUrl === undefined || baseUrl === '' ? 'is missing' : `is "${baseUrl}"`
  const mistake = `baseUrl ${given}: give createClient the address of the service, like https://storage.example.com.`
  if (!/^https?:\/\/[^\s/?#]+[^\s?#]*$/i.test(baseUrl)) throw new TypeError(mistake)
  try {
    new URL(baseUrl)
  } catch (cause) {
    throw new TypeError(mistake, { cause })
  }
  const address = baseUrl.replace(/\/+$/, '')
  if (address.endsWith('/v1'))
    throw new TypeError(`baseUrl is "${baseUrl}": leave out the /v1 at its end, which the client adds.`)
  return address
}

/**
 * Fills members into a path of the API description. Returns the path, and the other members. Rejects '', `.` and `..`: URL parsers
 * resolve them, and the request would go to another path.
 *
 * @throws TypeError when a member of the path is missing, empty, `.` or `..`
 */
export function filledPath(
  path: string,
  given: object,
): { address: string; others: Record<string, unknown> } {
  const others: Record<string, unknown> = { ...given }
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = others[name]
    delete others[name]
    const isGiven = typeof value === 'string' || typeof value === 'number'
    if (!isGiven || ['', '.', '..'].includes(String(value)))
      throw new TypeError(`${name} is ${isGiven ? `"${value}"` : String(value)}, which can't be one.`)
    return encodeURIComponent(value)
  })
  return { address, others }
}
