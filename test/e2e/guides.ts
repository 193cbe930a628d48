import { readFileSync } from 'node:fs'
import { project } from './citations.ts'

/** An example of a guide: what to paste into a shell or a program, and what it prints. */
export interface Example {
  script: string
  printed: string
}

/** The blocks of a page in a language, each with the `text` block that follows it directly or after words; '' without one. */
export function examplesOf(page: string, wanted: 'sh' | 'ts'): Example[] {
  const text = readFileSync(`${project}docs/${page}`, 'utf8')
  const examples: Example[] = []
  let isOpen = false
  for (const [, language, block = ''] of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    if (language === wanted) examples.push({ script: block, printed: '' })
    const last = examples.at(-1)
    if (language === 'text' && isOpen && last) last.printed = block
    isOpen = language === wanted
  }
  return examples
}

/** The blocks of a page in one language, in the part under a heading, or in all of it. */
export function blocksOf(page: string, language: string, heading?: string): string[] {
  const text = readFileSync(`${project}docs/${page}`, 'utf8')
  const part =
    heading === undefined ? text : text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`))
  return [...(part ?? '').matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, marked]) => marked === language)
    .map(([, , block = '']) => block)
}

const SEPARATOR = '\u001e'

/** A script that runs examples one after the other in one shell, and prints a separator behind each. */
export function scriptOf(examples: Example[]): string {
  return examples.map(({ script }) => `${script}printf '${SEPARATOR}'\n`).join('')
}

/** A program of the examples of a page, which prints a separator behind each. It takes the client from its sources. */
export function programOf(examples: Example[]): string {
  const program = examples.map(({ script }) => `${script}\nprocess.stdout.write('${SEPARATOR}')\n`).join('')
  return program.replaceAll(/'edge-game-storage-client(?=['/])/g, "'#client")
}

/** What each example of such a script has printed. */
export function outputs(printed: string): string[] {
  return printed.split(SEPARATOR).slice(0, -1)
}

/** Ids, times and checksums differ in each run: they count as equal. */
export function comparable(printed: string): string {
  return printed
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'ID')
    .replaceAll(/\b1\d{9}\b/g, 'TIME')
    .replaceAll(/[\w+/]{43}=/g, 'CHECKSUM')
    .replaceAll('\r', '')
}
