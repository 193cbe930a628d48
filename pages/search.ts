/** The search of the guides: results while typing, and the keyboard. */
import { type Found, find } from './find.ts'

const MOST = 12

let index: Promise<Found[]> | undefined

function load(): Promise<Found[]> {
  index ??= fetch('/guides/search.json').then((response) => response.json())
  return index
}

/** The text around the first of the words, with all of them marked. */
function excerpt({ text }: Found, words: string[]): (string | HTMLElement)[] {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - 40)
  const cut = text.slice(from, from + 120)
  return [from > 0 ? '…' : '', ...marked(cut, words), from + 120 < text.length ? '…' : '']
}

function marked(text: string, words: string[]): (string | HTMLElement)[] {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})`, 'iu')).map((part, at) => {
    if (at % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function itemOf(found: Found, words: string[]): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = found.address
  const name = document.createElement('strong')
  name.textContent = found.heading === found.title ? found.title : `${found.title}: ${found.heading}`
  const around = document.createElement('span')
  around.append(...excerpt(found, words))
  link.append(name, around)
  item.append(link)
  return item
}

const form = document.querySelector<HTMLFormElement>('.search')
const input = form?.querySelector('input')
const results = form?.querySelector<HTMLElement>('.results')
const status = form?.querySelector('p')
const list = form?.querySelector('ul')

async function search(input: HTMLInputElement, list: HTMLElement, status: HTMLElement): Promise<void> {
  const asked = input.value
  const answer = find(await load(), asked)
  if (input.value !== asked) return // the input has changed meanwhile
  const { found, words } = answer
  list.replaceChildren(...found.slice(0, MOST).map((one) => itemOf(one, words)))
  const missing = answer.absent.map((name) => `${name} are no part of this service. `).join('')
  const count = found.length > MOST ? `The best ${MOST} of ${found.length}` : `${found.length} found`
  const some =
    answer.has_all_words || found.length === 0 ? count : `Nothing has all words. ${count} with most`
  status.textContent = asked.trim() === '' ? '' : missing + some
}

/** Moves the focus by one result; above the first is the field. */
function move(by: number, input: HTMLElement, list: HTMLElement): void {
  const places: (Element & HTMLOrSVGElement)[] = [input, ...list.querySelectorAll('a')]
  const at = places.findIndex((place) => place.matches(':focus'))
  places[Math.min(Math.max(at + by, 0), places.length - 1)]?.focus()
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

if (form && input && results && status && list) {
  form.hidden = false
  input.addEventListener('focus', load, { once: true })
  input.addEventListener('input', async () => {
    await search(input, list, status)
    results.hidden = input.value.trim() === ''
  })
  input.addEventListener('focus', () => {
    results.hidden = input.value.trim() === ''
  })
  results.hidden = true
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    list.querySelector('a')?.click()
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(1, input, list)
    else if (event.key === 'ArrowUp') move(-1, input, list)
    else if (event.key === 'Escape') {
      input.focus()
      results.hidden = true
    } else return
    event.preventDefault()
  })
  // A result may be on this page: the list would hide it.
  list.addEventListener('click', () => {
    results.hidden = true
  })
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !form.contains(target)) results.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || isWriting(event.target)) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}
