/** The search of the reference, in the page itself: a box with a list of what was found, for mouse and keyboard. */
import { type Found, find } from './find.ts'

const MOST = 20

/** A request or an error code of the page. */
interface Entry extends Found {
  article: Element
  label: string
  name: string
  summary: string
}

const textsOf = (article: Element, selector: string) =>
  [...article.querySelectorAll(selector)].map(({ textContent }) => textContent ?? '').join(' ')

/** Names of members and values, and error codes: what may be in closed details. */
const NAMES = '.name, .value, .word, .common code'

function entryOf(article: Element): Entry {
  const method = article.querySelector('.method')?.textContent ?? ''
  const heading = article.querySelector('h3')?.textContent ?? ''
  const isRequest = method !== ''
  const name = isRequest ? article.id : heading
  const summary = isRequest ? heading : textsOf(article, 'h3 + p')
  // `completeUpload` is found as two words, too.
  const words = article.id.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return {
    article,
    label: method || (article.id === 'socket-messages' ? 'WS' : 'Error'),
    name,
    summary,
    address: `#${article.id}`,
    // A name in the title counts twice what it counts in the text.
    title: isRequest ? textsOf(article, '.id, .path, .text > .fields > li > p > .name') : `#${article.id}`,
    heading: isRequest ? `${name} ${words} ${summary}` : heading,
    text: textsOf(article, `.text > p, .entry > p, ${NAMES}, .fields p`),
  }
}

let entries: Map<Found, Entry> | undefined

/** What a query finds, the best first, with the words to look for in it. */
function search(query: string): { found: Entry[]; words: string[]; hasAll: boolean } {
  entries ??= new Map(
    [...document.querySelectorAll('.operation[data-request], .entry')].map((article) => {
      const entry = entryOf(article)
      return [entry, entry]
    }),
  )
  const { found, words, has_all_words } = find([...entries.keys()], query)
  return {
    found: found.flatMap((one) => entries?.get(one) ?? []),
    words: words.map((word) => word.toLowerCase()),
    hasAll: has_all_words,
  }
}

/** Where an entry has the words, when neither its name nor its summary has one: a name of a member, or the text around. */
function reasonOf({ article, name, summary, text }: Entry, words: string[]): string {
  const shown = `${name} ${summary}`.toLowerCase()
  if (words.some((word) => shown.includes(word))) return ''
  const names = [...article.querySelectorAll(NAMES)].map(({ textContent }) => textContent ?? '')
  const lower = text.toLowerCase()
  const word = words.find((word) => lower.includes(word))
  const whole = names.find((name) => words.includes(name.toLowerCase()))
  // The text says more, when it has the word that was asked for, and not only one that means the same.
  if (whole && (word !== words[0] || whole.toLowerCase() === word)) return whole
  if (word === undefined) return ''
  const from = Math.max(0, text.lastIndexOf(' ', lower.indexOf(word) - 25))
  return `${from > 0 ? '…' : ''}${text.slice(from, text.indexOf(' ', from + 80)).trim()}…`
}

function optionOf(entry: Entry, words: string[], index: number): HTMLLIElement {
  const option = document.createElement('li')
  option.role = 'option'
  option.id = `found-${index}`
  const line = (className: string, text: string) => {
    const span = document.createElement('span')
    span.className = className
    span.textContent = text
    return span
  }
  const label = entry.label === 'DELETE' ? 'DEL' : entry.label
  option.append(
    line(`method ${entry.label.toLowerCase()}`, label),
    line('title', entry.name),
    line('summary', entry.summary),
  )
  const reason = reasonOf(entry, words)
  if (reason) option.append(line('reason', reason))
  return option
}

/** Opens the closed details that have a word. */
function reveal(article: Element, words: string[]): void {
  for (const name of article.querySelectorAll(NAMES)) {
    const text = name.textContent?.toLowerCase() ?? ''
    if (!words.some((word) => text === word)) continue
    for (let at = name.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
      at.open = true
  }
}

const form = document.querySelector<HTMLFormElement>('.search')
const input = form?.querySelector('input')
const results = form?.querySelector<HTMLElement>('.results')
const list = form?.querySelector<HTMLElement>('#found')
const status = form?.querySelector('p')

if (form && input && results && list && status) {
  let found: Entry[] = []
  let words: string[] = []
  let active = 0
  form.hidden = false

  const close = () => {
    results.hidden = true
    input.ariaExpanded = 'false'
    input.removeAttribute('aria-activedescendant')
    status.textContent = ''
    found = []
  }
  const mark = (index: number) => {
    active = (index + found.length) % found.length
    for (const [at, option] of [...list.children].entries()) {
      option.ariaSelected = String(at === active)
      if (at === active) option.scrollIntoView({ block: 'nearest' })
    }
    input.setAttribute('aria-activedescendant', `found-${active}`)
  }
  const show = () => {
    close()
    if (input.value.trim() === '') return
    const answer = search(input.value)
    found = answer.found.slice(0, MOST)
    words = answer.words
    const all = answer.found.length
    const count = all > MOST ? `The best ${MOST} of ${all}` : `${all} found`
    status.textContent = answer.hasAll || all === 0 ? count : `Nothing has all words. ${count} with most`
    list.replaceChildren(...found.map((one, index) => optionOf(one, words, index)))
    results.hidden = false
    if (all === 0) return
    input.ariaExpanded = 'true'
    mark(0)
  }
  const open = (index: number) => {
    const entry = found[index]
    if (!entry) return
    reveal(entry.article, words)
    close()
    location.hash = entry.address
    entry.article.scrollIntoView({ behavior: 'instant' })
    const heading = entry.article.querySelector<HTMLElement>('h3')
    if (heading) heading.tabIndex = -1
    heading?.focus({ preventScroll: true })
  }

  input.addEventListener('input', show)
  input.addEventListener('focus', show)
  input.addEventListener('blur', close)
  form.addEventListener('submit', (event) => event.preventDefault())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
    const act = {
      ArrowDown: () => mark(active + 1),
      ArrowUp: () => mark(active - 1),
      Enter: () => open(active),
    }[event.key]
    if (!act || found.length === 0) return
    event.preventDefault()
    act()
  })
  // A press on a result leaves the focus in the box until the click.
  results.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest('[role=option]') : null
    if (option) open([...list.children].indexOf(option))
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}
