import type { ReactNode } from 'react'
import { tokensIn } from '../json.ts'
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
  for (const { text: token, at, kind } of tokensIn(text)) {
    nodes.push(
      text.slice(end, at),
      <span key={at} className={`json-${kind}`}>
        {token}
      </span>,
    )
    end = at + token.length
  }
  return [...nodes, text.slice(end)]
}
