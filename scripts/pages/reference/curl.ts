import type { Call } from './call.ts'

/** A request with curl. `$TOKEN` has the token. */
export function curlOf({ method, url, needsToken, headers, body, bytes, answersBytes }: Call): string {
  const isDefault = method === 'GET' || (method === 'POST' && body !== undefined)
  const lines = [
    `curl ${isDefault ? '' : `-X ${method} `}${quoted(url)}`,
    needsToken && '-H "Authorization: Bearer $TOKEN"',
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    body !== undefined && `-H 'Content-Type: application/json'`,
    body !== undefined && `-d ${quoted(JSON.stringify(body, null, 2))}`,
    bytes && `--data-binary @${bytes}`,
    answersBytes && `-o ${answersBytes}`,
  ]
  return lines.filter(Boolean).join(' \\\n  ')
}

/** A text for a shell. */
const quoted = (text: string) => (/[^\w:/.-]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text)
