import { formatBytes } from '../controls/format.ts'
import { type Content, linesOf } from './content.ts'

interface Props {
  content: Content
  label: string
  /** Content to compare with: lines that it lacks are marked. */
  other?: Content | undefined
}

/** The content of a save, where it is a text. */
export function ContentText({ content, label, other }: Props) {
  const { text, bytes, mime_type } = content
  if (text === undefined)
    return (
      <p className="quiet">
        {formatBytes(bytes.length)} of {mime_type}, not shown as a text.
      </p>
    )
  const known = other?.text === undefined ? undefined : new Set(linesOf(other.text))
  const lines = linesOf(text).map((line, index) => ({ line, index }))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="save-text" tabIndex={0} aria-label={label}>
      <pre>
        {lines.map(({ line, index }) => (
          <span key={index}>
            {known && !known.has(line) ? <Marked line={line} /> : line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  )
}

/** A line whose text is marked, without its indentation. */
function Marked({ line }: { line: string }) {
  const text = line.trimStart()
  return (
    <>
      {line.slice(0, line.length - text.length)}
      <mark>{text}</mark>
    </>
  )
}
