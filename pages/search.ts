/** Searches the sections of the guides. A section has to contain every word; words in headings score higher. */

interface Found {
  address: string
  title: string
  heading: string
  text: string
}

const MOST = 12

let index: Promise<Found[]> | undefined

/** The sections that contain all words, the best first. */
async function find(words: string[]): Promise<Found[]> {
  index ??= fetch('/guides/search.json').then((response) => response.json())
  const scored = (await index).map((found) => ({ found, score: scoreOf(found, words) }))
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ found }) => found)
}

/** The score of a section; 0 when a word is missing. */
function scoreOf({ title, heading, text }: Found, words: string[]): number {
  const [inTitle, inHeading, inText] = [title, heading, text].map((part) => part.toLowerCase())
  const scores = words.map(
    (word) =>
      (inHeading?.includes(word) ? 4 : 0) +
      (inTitle?.includes(word) ? 2 : 0) +
      (inText?.includes(word) ? 1 : 0),
  )
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** The text around the first of the words. */
function excerpt({ text }: Found, [word = '']: string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40)
  const cut = text.slice(at, at + 110)
  return `${at > 0 ? '…' : ''}${cut}${at + 110 < text.length ? '…' : ''}`
}

function itemOf(found: Found, words: string[]): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = found.address
  link.textContent = found.heading === found.title ? found.title : `${found.title}: ${found.heading}`
  const around = document.createElement('span')
  around.textContent = excerpt(found, words)
  link.append(around)
  item.append(link)
  return item
}

const form = document.querySelector<HTMLFormElement>('.search')
const input = form?.querySelector('input')
const count = form?.querySelector('p')
const list = form?.querySelector('ul')

if (form && input && count && list) {
  form.hidden = false
  input.addEventListener('input', async () => {
    const asked = input.value
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
    const found = words.length === 0 ? [] : await find(words)
    if (input.value !== asked) return // the input has changed meanwhile
    list.replaceChildren(...found.slice(0, MOST).map((one) => itemOf(one, words)))
    count.textContent =
      words.length === 0
        ? ''
        : found.length > MOST
          ? `The best ${MOST} of ${found.length}`
          : `${found.length} found`
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    list.querySelector('a')?.click()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    input.focus()
  })
}
