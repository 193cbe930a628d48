/**
 * Where the service is, without a slash at its end.
 *
 * @throws TypeError for what no request can be sent to
 */
export function serviceAddress(baseUrl: string): string {
  // An option that a configuration lacks comes as undefined, whatever its type says.
  const given = baseUrl === undefined || baseUrl === '' ? 'is missing' : `is "${baseUrl}"`
  const mistake = `baseUrl ${given}: give createClient the address of the service, like https://storage.example.com.`
  if (!/^https?:\/\/[^\s/?#]+[^\s?#]*$/i.test(baseUrl)) throw new TypeError(mistake)
  try {
    new URL(baseUrl)
  } catch (cause) {
    throw new TypeError(mistake, { cause })
  }
  return baseUrl.replace(/\/+$/, '')
}

/**
 * A path of the description with its parameters. `.`, `..` and nothing are refused: a URL takes them for steps, so that the
 * request would reach another path.
 *
 * @throws TypeError
 */
export function filledPath(path: string, parameters: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    const isGiven = typeof value === 'string' || typeof value === 'number'
    if (!isGiven || ['', '.', '..'].includes(String(value)))
      throw new TypeError(`${name} is ${isGiven ? `"${value}"` : String(value)}, which can't be one.`)
    return encodeURIComponent(value)
  })
}
