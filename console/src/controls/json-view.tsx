import type { ReactNode } from 'react'
import './json-view.css'

/** A longer text has no colours: each token is an element of the page. */
const MOST_COLOURED = 64 * 1024

/** JSON with a line for each member. Keeps each number as it is written. Undefined for a text that is no JSON. */
export function formatJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return text.replaceAll(/"(?:[^"\\]+|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token === ',') return `,${line()}`
    if (token === ':') return ': '
    if (token === '{' || token === '[') {
      depth++
      return token + line()
    }
    if (token === '}' || token === ']') {
      depth--
      return line() + token
    }
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, '')
  })
}

/** A text of JSON, or its beginning, in colours: names of members, strings, and other values. */
export function JsonView({ text }: { text: string }) {
  return <pre className="json">{text.length > MOST_COLOURED ? text : coloured(text)}</pre>
}

function coloured(text: string): ReactNode[] {
  const nodes: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(/"(?:[^"\\]+|\\.)*"(\s*:)?|[\w.+-]+/g)) {
    const [token, colon] = match
    const kind = colon !== undefined ? 'name' : token.startsWith('"') ? 'string' : 'value'
    nodes.push(
      text.slice(end, match.index),
      <span key={match.index} className={`json-${kind}`}>
        {token}
      </span>,
    )
    end = match.index + token.length
  }
  return [...nodes, text.slice(end)]
}
