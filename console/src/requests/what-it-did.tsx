import { member } from '../json.ts'
import { shownUrl } from './as-code.ts'
import type { Operation } from './operation.ts'
import { jsonIn, type RecordedRequest } from './recorded.ts'
import { timingsIn } from './server-timing.ts'

interface Props {
  request: RecordedRequest
  operation: Operation | undefined
}

/** What a request asked, how it ended, and what it cost, with links to the reference and to the error. */
export function WhatItDid({ request, operation }: Props) {
  const { method, status, code, ms, answer } = request
  const timings = timingsIn(answer?.headers['server-timing'] ?? '')
  const done = timings.flatMap(({ description }) => (description === undefined ? [] : [description]))
  const service = timings.find(({ name }) => name === 'total')?.duration
  const database = timings.find(({ name }) => name === 'db')?.duration
  return (
    <dl className="request-facts">
      {operation && (
        <>
          <dt>Operation</dt>
          <dd>
            {operation.summary} (<code>{operation.id}</code>).{' '}
            <a href={`/docs#${operation.id}`} target="_blank" rel="noreferrer">
              Reference
            </a>
          </dd>
        </>
      )}
      <dt>Asked</dt>
      <dd>
        <code>
          {method} {shownUrl(request)}
        </code>
      </dd>
      <dt>Answer</dt>
      <dd>
        {status === undefined ? 'Under way.' : status !== 0 && <code>{status}</code>}{' '}
        {code !== undefined && <Problem code={code} problem={jsonIn(answer?.body)} />}
      </dd>
      {ms !== undefined && (
        <>
          <dt>Time</dt>
          <dd>
            {[
              `${ms} ms here`,
              service !== undefined && `${service} ms in the service`,
              database !== undefined && `${database} ms of it in the database`,
            ]
              .filter(Boolean)
              .join(', ')}
          </dd>
        </>
      )}
      {done.length > 0 && (
        <>
          <dt>Work</dt>
          <dd>{done.join('; ')}</dd>
        </>
      )}
      {answer?.headers['x-request-id'] !== undefined && (
        <>
          <dt>In the log</dt>
          <dd>
            <code>{answer.headers['x-request-id']}</code>
          </dd>
        </>
      )}
    </dl>
  )
}

/** A refusal: its code, its meaning, and where the guide says what to do. */
function Problem({ code, problem }: { code: string; problem: unknown }) {
  if (code === 'cancelled') return 'Cancelled, because the page no longer needed it.'
  if (code === 'no answer') return <span className="bad">No answer arrived.</span>
  const texts = [member(problem, 'title'), member(problem, 'detail')].filter(
    (text, index, all) => typeof text === 'string' && all.indexOf(text) === index,
  )
  return (
    <>
      <code className="bad">{code}</code> {texts.map((text) => `${text}. `.replace('.. ', '. '))}
      <a href={`/guides/errors#${code.toLowerCase()}`} target="_blank" rel="noreferrer">
        What to do
      </a>
    </>
  )
}
