import { formatBytes } from '../controls/format.ts'
import { JsonView } from '../controls/json-view.tsx'
import type { RecordedBody, RecordedMessage } from './recorded.ts'

/** The body and the headers of a request or an answer. */
export function Message({ message: { headers, body } }: { message: RecordedMessage }) {
  return (
    <>
      {body ? <Body body={body} /> : <p className="quiet">No body.</p>}
      <pre className="request-headers">
        {Object.entries(headers).map(([name, value]) => (
          <span key={name}>
            <span className="quiet">{name}: </span>
            {value}
            {'\n'}
          </span>
        ))}
      </pre>
    </>
  )
}

function Body({ body: { mime_type, size_bytes, text, is_cut, is_masked } }: { body: RecordedBody }) {
  const size = size_bytes === undefined ? 'Content' : formatBytes(size_bytes)
  if (text === undefined)
    return <p className="quiet">{`${size} of ${mime_type}, which the list does not keep.`}</p>
  return (
    <>
      {is_masked && <p className="quiet">Signatures and tokens are left out.</p>}
      <JsonView text={text} />
      {is_cut && <p className="quiet">{`… This is the beginning of ${size}.`}</p>}
    </>
  )
}
