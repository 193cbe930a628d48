/**
 * Searches the requests and error codes of the reference, in the page itself. An entry has to contain every word. The page's
 * best match comes first: a name, then a summary, codes, members and values, then the text.
 */

/** A text of an entry, where it is in the page, and how much a word in it counts. */
interface Part {
  element: Element
  text: string
  weight: number
}

interface Entry {
  id: string
  title: string
  summary: string
  method: string
  parts: Part[]
}

export interface Found extends Entry {
  score: number
  /** The part of each word. */
  at: Part[]
}

/** What is searched, and its weight. */
const weights = {
  'h3, .id': 8,
  '.path, .code, .common code': 4,
  '.name, .value, .scopes code': 3,
  p: 1,
} as const

let entries: Entry[] | undefined

function entriesOfPage(): Entry[] {
  return [...document.querySelectorAll('.operation[data-request], .error, .messages')].map((article) => {
    const method = article.querySelector('.method')?.textContent ?? ''
    const heading = article.querySelector('h3')?.textContent ?? ''
    const isRequest = method !== ''
    return {
      id: article.id,
      title: isRequest ? article.id : heading,
      summary: isRequest ? heading : (article.querySelector('p')?.textContent ?? ''),
      method: isRequest ? method : article.matches('.error') ? 'Error' : 'Socket',
      parts: [{ element: article, text: article.id.toLowerCase(), weight: 12 }, ...partsOf(article)],
    }
  })
}

function partsOf(article: Element): Part[] {
  return Object.entries(weights).flatMap(([selector, weight]) =>
    [...article.querySelectorAll(selector)].map((element) => ({
      element,
      text: (element.textContent ?? '').toLowerCase(),
      weight,
    })),
  )
}

/** The entries that contain all words, the best first. */
export function find(words: string[]): Found[] {
  entries ??= entriesOfPage()
  return entries
    .flatMap((entry): Found[] => {
      const at = words.map((word) => bestOf(entry.parts, word))
      if (!at.every((part) => part !== undefined)) return []
      const score = at.reduce(
        (sum, { text, weight }, index) => sum + weight * (text === words[index] ? 3 : 1),
        0,
      )
      return [{ ...entry, at, score }]
    })
    .sort((one, other) => other.score - one.score)
}

/** The weightiest part with a word; of several, the one that is the word, or begins with it. */
function bestOf(parts: Part[], word: string): Part | undefined {
  const value = ({ text, weight }: Part) => weight * 4 + (text === word ? 2 : text.startsWith(word) ? 1 : 0)
  return parts
    .filter(({ text }) => text.includes(word))
    .reduce<Part | undefined>((best, part) => (best && value(best) >= value(part) ? best : part), undefined)
}
