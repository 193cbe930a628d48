/** Blocks of code as HTML: what they print below them, and tabs where neighbours do the same in several languages. */
import type { Token, Tokens } from 'marked'
import { coloured } from './colours.ts'
import { escaped } from './escaped.ts'

/** A block of code, and what it prints when the guide shows that directly below. */
export interface Example {
  code: Tokens.Code
  printed?: Tokens.Code | undefined
}

/** The languages that tabs have, with their labels. */
const labels: Record<string, string> = { ts: 'TypeScript', sh: 'curl', csharp: 'C#' }

/** The labels of blocks without tabs. */
const others: Record<string, string> = {
  sh: 'Shell',
  js: 'JavaScript',
  json: 'JSON',
  cpp: 'C++',
  gdscript: 'GDScript',
  sql: 'SQL',
  toml: 'TOML',
  http: 'HTTP',
  xml: 'XML',
}

/**
 * Puts each block together with the `text` block below it that has its output, and neighbours in different languages of
 * `labels` into tabs. Blocks are neighbours when nothing stands between them except output and blank lines.
 */
export function examplesOf(tokens: Token[]): (Token | Example[])[] {
  const grouped: (Token | Example[])[] = []
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const last = grouped.at(-1)
    const examples = Array.isArray(last) ? last : []
    const before = examples.at(-1)
    if (!isCode(token) || token.lang === 'mermaid') grouped.push(token)
    else if (token.lang === 'text' && before !== undefined && before.printed === undefined)
      before.printed = token
    else if (isTab(token) && examples.length > 0 && examples.every(({ code }) => isOther(code, token)))
      examples.push({ code: token })
    else grouped.push([{ code: token }])
  }
  return grouped
}

const isCode = (token: Token): token is Tokens.Code => token.type === 'code'
const isTab = ({ lang = '' }: Tokens.Code) => lang in labels
const isOther = (one: Tokens.Code, { lang }: Tokens.Code) => isTab(one) && one.lang !== lang

/** One block, or tabs. pages/code.ts adds the buttons; without scripts the blocks are there one after another. */
export function renderExamples(examples: Example[]): string {
  const [first] = examples
  if (examples.length === 1 && first) {
    const { lang = '' } = first.code
    return `<div class="code">${panel(first, others[lang] ?? labels[lang])}</div>\n`
  }
  const printedInTypeScript = examples.find(({ code }) => code.lang === 'ts')?.printed
  const panels = examples.map(({ code, printed }) => {
    const language = escaped(code.lang ?? '')
    const label = labels[language]
    // A guide shows once what the programs in TypeScript and in C# both print.
    const output = language === 'csharp' ? (printed ?? printedInTypeScript) : printed
    return `<div class="panel" data-language="${language}" data-label="${label}">${panel({ code, printed: output }, label)}</div>`
  })
  return `<div class="code tabs">\n${panels.join('\n')}</div>\n`
}

function panel({ code, printed }: Example, label = ''): string {
  const { lang = '', text } = code
  if (lang === 'text') return `<pre class="printed" tabindex="0"><code>${escaped(text)}\n</code></pre>`
  const output = printed
    ? `<p class="prints">prints</p><pre class="printed" tabindex="0"><code>${escaped(printed.text)}\n</code></pre>`
    : ''
  return `<p class="head">${escaped(label)}</p><pre tabindex="0"><code>${coloured(text, lang)}\n</code></pre>${output}`
}
