/** Finds the sections of the guides, and the operations of the reference, that a query asks for. */
import { absent, synonyms } from './synonyms.ts'

/** An entry of the search index (scripts/pages/guides.ts): a section of a guide, or an operation. */
export interface Found {
  address: string
  title: string
  heading: string
  text: string
  /** By how much it counts in comparison with others, 1 when not given: what readers build with comes before what is behind it. */
  weight?: number
}

/** What a query has found. */
export interface Answer {
  /** The best first; at most `MOST_OF_A_GUIDE` of a guide. */
  found: Found[]
  /** Whether each of `found` has all words of the query. Otherwise they have most of them. */
  has_all_words: boolean
  /** The words that `found` have been searched for, to mark them. */
  words: string[]
  /** What the query asks for and the service does not have. */
  absent: string[]
}

/** A word of the query, or several that mean one, with the words that mean the same. */
interface Term {
  asked: string
  means: string[]
}

const MOST_OF_A_GUIDE = 3

/** The most characters of a query that are looked for. Each word costs a reading of the index. */
const MOST_ASKED = 150

/** The weights of a word in the title of a guide, in a heading, and in the text. */
const WEIGHTS = { title: 6, heading: 4, text: 1 }
/** The title of a guide counts in full for its beginning, and less for its other sections. */
const TITLE_OF_A_SECTION = 2
/** A word that begins with the one asked for, and one that means the same, count less than the word itself. */
const [PREFIX, SYNONYM] = [0.7, 0.5]

/** Words that say little, because nearly every section has them. */
const ignored = new Set(
  'a an and are can do does for from how i in is it me my of on or that the their to use what when where which with player players user users'.split(
    ' ',
  ),
)

export function find(index: Found[], query: string): Answer {
  const asked =
    query
      .slice(0, MOST_ASKED)
      .toLowerCase()
      .match(/[^\s,;:!?"'’()]+/g) ?? []
  const all = termsOf(asked)
  const meant = all.filter(({ asked }) => !ignored.has(asked))
  const terms = meant.length > 0 ? meant : all
  const patterns = terms.map(({ asked, means }) => ({ word: pattern(asked), others: means.map(pattern) }))
  const scored = index.map((found) => {
    const scores = patterns.map((term) => scoreOf(found, term))
    const matched = scores.filter((score) => score > 0).length
    return { found, matched, score: (found.weight ?? 1) * scores.reduce((sum, score) => sum + score, 0) }
  })
  const most = Math.max(0, ...scored.map(({ matched }) => matched))
  const best = scored
    .filter(({ matched }) => matched > 0 && matched === most)
    .sort((one, other) => other.score - one.score)
    .map(({ found }) => found)
  return {
    found: firstOfEach(best),
    has_all_words: most === terms.length,
    words: terms.flatMap(({ asked, means }) => [stemOf(asked), ...means]),
    absent: absent.filter((one) => one.asked.some((name) => isIn(asked, name))).map(({ name }) => name),
  }
}

/** The terms of a query: the longest sequences of words that have synonyms, and the words between them. */
function termsOf(words: string[]): Term[] {
  const [first, ...rest] = words
  if (first === undefined) return []
  for (const length of [3, 2, 1]) {
    const phrase = words.slice(0, length)
    if (phrase.length < length) continue
    const means = synonyms.filter(({ asked }) => asked.some((name) => isSame(phrase, name.split(' '))))
    if (means.length > 0)
      return [
        { asked: phrase.join(' '), means: means.flatMap((one) => one.means) },
        ...termsOf(words.slice(length)),
      ]
  }
  return [{ asked: first, means: [] }, ...termsOf(rest)]
}

const isSame = (phrase: string[], name: string[]) =>
  phrase.length === name.length && phrase.every((word, at) => stemOf(word) === stemOf(name[at] ?? ''))

function isIn(words: string[], name: string): boolean {
  const parts = name.split(' ')
  return words.some((_, at) => isSame(words.slice(at, at + parts.length), parts))
}

/** A word without the ending that it has in another form: saves and save, uploading and upload. */
function stemOf(word: string): string {
  const stem = word.replace(/(?<=\w{3})(?:ies|ing|ed|es|s|e|y)$/, '')
  return /^[a-z ]+$/.test(word) ? stem : word
}

/** Matches a word, or a phrase, at the beginning of a word; group 1 is empty when the word ends there, too. */
function pattern(asked: string): RegExp {
  const stem = stemOf(asked.toLowerCase()).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${stem}(?:ies|ing|ed|es|s|e|y)?([\\p{L}\\p{N}]*)`, 'u')
}

function scoreOf(found: Found, { word, others }: { word: RegExp; others: RegExp[] }): number {
  const scores = others.map((other) => SYNONYM * weightOf(found, other))
  return Math.max(weightOf(found, word), ...scores)
}

function weightOf({ title, heading, text }: Found, word: RegExp): number {
  const inTitle = heading === title ? WEIGHTS.title : TITLE_OF_A_SECTION
  return (
    inTitle * matchOf(title, word) +
    WEIGHTS.heading * matchOf(heading, word) +
    WEIGHTS.text * matchOf(text, word)
  )
}

/** How well a text has a word: 1 as it is, `PREFIX` as the beginning of another, 0 not at all. */
function matchOf(text: string, word: RegExp): number {
  const match = word.exec(text.toLowerCase())
  if (match === null) return 0
  return match[1] === '' ? 1 : PREFIX
}

/** Leaves out what would be too much of one guide. */
function firstOfEach(found: Found[]): Found[] {
  const counts = new Map<string, number>()
  return found.filter(({ title }) => {
    const count = (counts.get(title) ?? 0) + 1
    counts.set(title, count)
    return count <= MOST_OF_A_GUIDE
  })
}
