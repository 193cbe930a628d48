/** Code in colour, by Prism. It runs when the pages are built: browsers get classes, which pages/code.css gives colours. */
import { createRequire } from 'node:module'
import { escaped } from './escaped.ts'

/** The part of Prism that is used. Its types would be a package of their own. */
interface Prism {
  languages: Record<string, object>
  highlight(text: string, grammar: object, language: string): string
}

/** The names of languages that blocks of the guides have, and Prism's name of each. */
const grammars: Record<string, string> = {
  sh: 'bash',
  ts: 'typescript',
  js: 'javascript',
  json: 'json',
  csharp: 'csharp',
  cpp: 'cpp',
  gdscript: 'gdscript',
  sql: 'sql',
  toml: 'toml',
  ini: 'ini',
  http: 'http',
  xml: 'xml',
}

const require = createRequire(import.meta.url)
const prism: Prism = require('prismjs')
const loadLanguages: (names: string[]) => void = require('prismjs/components/index.js')
loadLanguages(Object.values(grammars))

/** Code as HTML, with classes for its parts; only escaped, when the language is not one of those above. */
export function coloured(code: string, language = ''): string {
  const name = grammars[language] ?? ''
  const grammar = prism.languages[name]
  if (grammar === undefined) return escaped(code)
  // Most characters are punctuation and operators, which have the colour of the text.
  return prism
    .highlight(code, grammar, name)
    .replaceAll(/<span class="token (?:punctuation|operator)">([^<]*)<\/span>/g, '$1')
}
