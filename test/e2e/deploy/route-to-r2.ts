/** Loaded into `npm run deploy` by its tests: sends what is for R2 to the stand-in whose address is R2_STAND_IN. */
const { R2_STAND_IN } = process.env
const send = globalThis.fetch

globalThis.fetch = (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (R2_STAND_IN === undefined || !url.hostname.endsWith('.r2.cloudflarestorage.com'))
    return send(input, init)
  const headers = new Headers(init.headers)
  headers.set('x-sent-to', url.origin)
  return send(new URL(url.pathname + url.search, R2_STAND_IN), { ...init, headers })
}
