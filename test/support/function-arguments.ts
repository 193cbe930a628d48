/** The most arguments that D1 gives an SQL function (https://developers.cloudflare.com/d1/platform/limits/). workerd gives 127. */
const MAX_ARGUMENTS = 32

/** Comments, texts, quoted names, words, and the marks that calls are made of. */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S/g

/** A list of columns begins behind a name, too: that of a table or of a WITH. */
const NAMES_A_TABLE = /^(INTO|TABLE|EXISTS)$/i
const IS_WITH = /^\s*AS\s+((NOT\s+)?MATERIALIZED\s*)?\(/i

/** Words before a parenthesis that are no function. */
const KEYWORDS = /^(AND|AS|BY|CHECK|FROM|IN|JOIN|NOT|ON|OR|OVER|SELECT|SET|THEN|USING|VALUES|WHEN|WHERE)$/i

interface List {
  /** The function; undefined for another pair of parentheses. */
  name: string | undefined
  commas: number
}

/** A line for each call of a function with more arguments than D1 allows. Each name and each value of `json_object` is one. */
export function argumentFaults(query: string): string[] {
  const tokens = [...query.matchAll(TOKENS)].filter(([token]) => !/^(--|\/\*)/.test(token))
  const open: List[] = []
  const faults: string[] = []
  for (const [index, { 0: token, index: position }] of tokens.entries()) {
    const list = open.at(-1)
    if (token === ',' && list) list.commas += 1
    if (token === '(') {
      const [before = '', beforeThat = ''] = [tokens[index - 1]?.[0], tokens[index - 2]?.[0]]
      const isCall = /^[a-z_]\w*$/i.test(before) && !KEYWORDS.test(before) && !NAMES_A_TABLE.test(beforeThat)
      open.push({ name: isCall ? before : undefined, commas: 0 })
    }
    if (token !== ')') continue
    const { name, commas = 0 } = open.pop() ?? {}
    if (name === undefined || commas < MAX_ARGUMENTS || IS_WITH.test(query.slice(position + 1))) continue
    faults.push(`${name} has ${commas + 1} arguments, and D1 takes ${MAX_ARGUMENTS}`)
  }
  return faults
}
