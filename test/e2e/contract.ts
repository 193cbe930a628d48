import { existsSync, readFileSync } from 'node:fs'
import { project } from './citations.ts'

const folder = `${project}../shared/spec`

/** Whether the contract lies beside the project; a clone may be without. */
export const hasContract = existsSync(folder)

/** A piece of the contract that must have a requirement: a section, a decision, or a line of a table in it. */
export interface Piece {
  part: string
  text: string
}

/** Words without their markup, as a table of requirements quotes them. */
export function plain(text: string): string {
  return text.replaceAll(/[*`|]/g, ' ').replaceAll(/\s+/g, ' ').trim()
}

/** Whether the words of a quotation stand in a text, in their order; `…` leaves something out. */
export function quotes(text: string, quotation: string): boolean {
  const [whole, words] = [plain(text).replaceAll(' ', ''), plain(quotation).replaceAll(' ', '')]
  let at = 0
  for (const piece of words.split('…').filter((piece) => piece !== '')) {
    const found = whole.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}

/** Every part of the contract by its name in the table of requirements, with all its words. */
export function parts(): Piece[] {
  return [...sections(), ...decisions(), { part: 'Conventions codes', text: codeTable().join('\n') }]
}

function sections(): Piece[] {
  const text = readFileSync(`${folder}/service-specification.md`, 'utf8')
  const found = text.split(/^(?=#{2,3} \d)/m).slice(1)
  return found
    .map((section) => ({ part: `§${/^#+ ([\d.]+?)\.? /.exec(section)?.[1]}`, text: section }))
    .filter(({ text }) => text.split('\n').slice(1).join('').trim() !== '')
}

function decisions(): Piece[] {
  const text = readFileSync(`${folder}/decisions.md`, 'utf8')
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const heading = (section.split('\n')[0] ?? '').replace(' (added)', '')
      const bullets = section.split(/^- /m).slice(1)
      return bullets.map((bullet, index) => ({
        part: `${heading} ${index + 1}`,
        text: bullet.split('\n\n')[0] ?? '',
      }))
    })
}

/** The lines of a part's tables below their heads. */
export function tableLines({ text }: Piece): string[] {
  return text
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && index > lines.findIndex(isRuler))
}

const isRuler = (line: string) => /^\|[-|]+\|$/.test(line)

function codeTable(): string[] {
  const text = readFileSync(`${folder}/decisions.md`, 'utf8')
  return text.split('\n').filter((line) => /^\| [A-Z_]{4,}/.test(line))
}

/** The error codes of the decisions, each with its status. */
export function codes(): [code: string, status: number][] {
  return codeTable().flatMap((line) =>
    [...line.matchAll(/\|([^|]*[A-Z_]{4}[^|]*)\| *(\d{3})/g)].flatMap(([, cell = '', status]) =>
      (cell.replaceAll(/\([^)]*\)/g, '').match(/[A-Z_]{5,}/g) ?? []).map((code): [string, number] => [
        code,
        Number(status),
      ]),
    ),
  )
}
