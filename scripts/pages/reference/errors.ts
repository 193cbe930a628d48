import { errorCodes, limits } from '../../../src/platform/errors.ts'
import type { Operation } from '../../describe/description.ts'
import { escaped } from '../escaped.ts'
import { inline } from './text.ts'

/** Renders the table of error codes, each with the operations that answer it. */
export function errorsOf(operations: Operation[]): string {
  return Object.entries(errorCodes)
    .map(([code, [status, title, action]]) => {
      const answering = operations.filter(({ codes }) => codes.has(code))
      return `<article class="entry" id="${code}">
<h3><a href="#${code}">${code}</a></h3>
<p><span class="http">${status}</span> ${escaped(title)}.</p>
<p>${inline(action)}</p>
${code === 'LIMIT_REACHED' ? limitsList() : ''}
${answeredBy(answering, operations.length)}
</article>
`
    })
    .join('')
}

function answeredBy(answering: Operation[], all: number): string {
  if (answering.length === 0) return ''
  if (answering.length === all) return '<p>Every request may answer it.</p>'
  const links = answering.map(({ id }) => `<a href="#${id}">${id}</a>`).join(', ')
  return answering.length > 20
    ? `<details><summary>Answered by ${answering.length} requests</summary><p>${links}</p></details>`
    : `<p>Answered by ${links}.</p>`
}

function limitsList(): string {
  const items = Object.entries(limits).map(
    ([name, [variable, text]]) =>
      `<li><p><code class="name">${name}</code> <span class="type">set by ${variable}</span></p><p>${inline(text)}</p></li>`,
  )
  return `<details><summary>The limits</summary><ul class="fields">${items.join('')}</ul></details>`
}
