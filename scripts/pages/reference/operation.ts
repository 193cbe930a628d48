/** Renders an operation: what it takes and answers on the left, its examples on the right. */
import { errorCodes } from '../../../src/platform/errors.ts'
import type { Answer, Description, Operation, Schema } from '../../describe/description.ts'
import { renderExamples } from '../code.ts'
import { coloured } from '../colours.ts'
import { escaped } from '../escaped.ts'
import { callOf } from './call.ts'
import { csharpOf } from './csharp.ts'
import { curlOf } from './curl.ts'
import { fieldOf, fieldsOf } from './fields.ts'
import { sampleOf } from './sample.ts'
import { inline, linkTo, prose } from './text.ts'
import { typescriptOf } from './typescript.ts'

/** Headers that every request or answer may have. The introduction explains them. */
export const commonHeaders = ['X-D1-Bookmark', 'X-Request-Id']

/** Codes that nearly every operation answers. */
const commonCodes = [
  'VALIDATION_FAILED',
  'MALFORMED_JSON',
  'UNAUTHENTICATED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
]

/** What the client does about a header. */
const inTheClient: Record<string, string> = {
  'If-Match': 'the option `ifMatch`, with the `etag` of an answer',
  'Idempotency-Key': 'the option `idempotencyKey`; without it, the client makes one for each call',
  'Content-Digest': 'sent by itself',
}

const resuming =
  'In the client, `files.upload` and `assets.upload` do all steps of an upload, and resume one that was interrupted.'

/** What the client has beside the method of an operation. */
const notes: Record<string, string> = {
  startUpload: resuming,
  getUpload: resuming,
  presignParts: resuming,
  completeUpload: resuming,
  openSocket: 'In the client, `inbox.open` opens the socket, and again after it was cut.',
}

const codes: Record<string, readonly [status: number, title: string, action: string]> = errorCodes

const answered = { isAnswer: true }

/** An example, and the language of its tab. */
type Example = [language: 'ts' | 'sh' | 'csharp', text: string]

export function operationOf(operation: Operation, description: Description, hasClient: boolean): string {
  const { id, method, path, summary, scopes } = operation
  // Most descriptions end with the scope.
  const unnamed = scopes.filter((scope) => !operation.description.includes(`\`${scope}\``))
  const needs = unnamed.map((scope) => `<code>${scope}</code>`).join(' or ')
  return `<article class="operation" id="${id}" data-request="${method} ${path}">
<header><h3><a href="#${id}">${inline(summary)}</a></h3>
<p class="request"><span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path.replaceAll('/', '<wbr>/')}</code> <code class="id">${id}</code></p></header>
<div class="text">
${operation.description && prose(operation.description)}
${notes[id] ? prose(notes[id]) : ''}
${needs && `<p>Needs a token with the scope ${needs}.</p>`}
${operation.needsToken ? '' : '<p>Needs no token.</p>'}
${parametersOf(operation, description)}
${bodyOf(operation, description)}
${answersOf(operation, description)}
${errorsOf(operation, description)}
</div>
<div class="examples">
${tabs(examplesOf(operation, description, hasClient))}
${exampleAnswerOf(operation, description)}
</div>
</article>
`
}

/** The examples of an operation. Operators' commands send the requests for which the client has no method. */
function examplesOf(operation: Operation, description: Description, hasClient: boolean): Example[] {
  const call = callOf(operation, description)
  const examples: Example[] = [
    ['ts', hasClient ? typescriptOf(call, description) : ''],
    ['sh', operation.id === 'openSocket' ? '' : curlOf(call)],
    ['csharp', csharpOf(call)],
  ]
  return examples.filter(([, text]) => text !== '')
}

/** Examples as tabs. */
export function tabs(examples: Example[]): string {
  return renderExamples(
    examples.map(([lang, text]) => ({ code: { type: 'code' as const, raw: text, lang, text } })),
  )
}

function parametersOf({ id, parameters }: Operation, description: Description): string {
  const own = parameters.filter(({ name }) => !commonHeaders.includes(name))
  if (own.length === 0) return ''
  const fields = own.map((one) =>
    fieldOf(
      {
        ...one,
        isRequired: one.required ?? false,
        in: one.in === 'header' ? 'header' : `in the ${one.in}`,
        // The client writes a save over what it has read, with a key of its own.
        ...(id !== 'writeSave' && { option: inTheClient[one.name] }),
      },
      description,
      { isAnswer: false },
    ),
  )
  return `<h4>Parameters</h4><ul class="fields">${fields.join('')}</ul>`
}

function bodyOf({ body }: Operation, description: Description): string {
  if (!body) return ''
  const optional = body.isRequired ? '' : '<p class="type">The body may be left out.</p>'
  if (!body.isJson)
    return `<h4>Body</h4>${optional}<p>The bytes, with their type in <code>Content-Type</code>.</p>`
  const fields = fieldsOf(body.schema, description, { isAnswer: false })
  return fields === '' ? '' : `<h4>Body</h4>${optional}${fields}`
}

function answersOf({ answers }: Operation, description: Description): string {
  return `<h4>Answers</h4>${answers.map((answer) => answerOf(answer, description)).join('')}`
}

function answerOf(
  { status, description: text, headers, schema, bytes }: Answer,
  description: Description,
): string {
  const own = Object.entries(headers).filter(([name]) => !commonHeaders.includes(name))
  const list = own.map(([name, { description: text, schema, required = false }]) =>
    fieldOf({ name, schema, description: text, isRequired: required, in: 'header' }, description, answered),
  )
  return [
    `<div class="answer"><p><span class="http">${status}</span> ${inline(text)}</p>`,
    bytes && '<p>The body is the bytes.</p>',
    list.length > 0 && `<ul class="fields">${list.join('')}</ul>`,
    schema && fieldsOf(schema, description, answered),
    '</div>',
  ]
    .filter(Boolean)
    .join('')
}

function errorsOf(operation: Operation, description: Description): string {
  const all = [...operation.codes]
  const own = all.filter(([code]) => !commonCodes.includes(code))
  const common = commonCodes.filter((code) => operation.codes.has(code))
  const rows = own.map(([code, more]) => errorOf(code, more, description))
  return [
    '<h4>Errors</h4>',
    rows.length > 0 && `<ul class="errors">${rows.join('')}</ul>`,
    `<p class="common">${rows.length > 0 ? 'And, like most requests,' : 'Like most requests:'} ${common.map(linkTo).join(', ')}.</p>`,
  ]
    .filter(Boolean)
    .join('')
}

function errorOf(code: string, more: Record<string, Schema>, description: Description): string {
  const [status, title, action] = codes[code] ?? []
  const members = fieldsOf({ properties: more }, description, answered)
  return `<li><details><summary><span class="http">${status}</span> <code class="word">${code}</code> ${escaped(title ?? '')}</summary>
<p>${inline(action ?? '')}</p>${members}<p><a href="#${code}">Which requests answer it</a></p></details></li>`
}

function exampleAnswerOf({ answers }: Operation, description: Description): string {
  const answer = answers.find(({ schema }) => schema)
  if (!answer?.schema) return ''
  const sample = JSON.stringify(sampleOf(answer.schema, description), null, 2)
  return `<div class="code sample"><p class="head">Answer ${answer.status}</p><pre tabindex="0"><code>${coloured(sample, 'json')}\n</code></pre></div>`
}
