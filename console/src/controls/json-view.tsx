import type { ReactNode } from 'react'
import './json-view.css'

/** A longer text has no colours: each token is an element of the page. */
const MOST_COLOURED = 64 * 1024

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
