/** The search of the reference: a box with a list of what was found, for mouse and keyboard. */
import { type Found, find } from './docs-entries.ts'

const MOST = 20

/** Where an entry has the words, when neither its name nor its summary has them. */
function reasonOf({ at, title, summary }: Found, words: string[]): string {
  const shown = `${title} ${summary}`.toLowerCase()
  const part = at[words.findIndex((word) => !shown.includes(word))]
  if (!part) return ''
  const [word = ''] = words.filter((one) => part.text.includes(one))
  const text = part.element.textContent ?? ''
  const from = Math.max(0, text.toLowerCase().indexOf(word) - 30)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 90)}${from + 90 < text.length ? '…' : ''}`
}

function optionOf(found: Found, words: string[], index: number): HTMLLIElement {
  const option = document.createElement('li')
  option.role = 'option'
  option.id = `found-${index}`
  option.ariaSelected = 'false'
  const line = (className: string, text: string) => {
    const span = document.createElement('span')
    span.className = className
    span.textContent = text
    return span
  }
  const method = line(
    `method ${found.method.toLowerCase()}`,
    found.method === 'DELETE' ? 'DEL' : found.method,
  )
  option.append(method, line('title', found.title), line('summary', found.summary))
  const reason = reasonOf(found, words)
  if (reason) option.append(line('reason', reason))
  return option
}

const input = document.querySelector<HTMLInputElement>('.search input')
const form = document.querySelector<HTMLFormElement>('.search')
const list = document.querySelector<HTMLElement>('#found')
const count = form?.querySelector('p')

if (form && input && list && count) {
  let found: Found[] = []
  let active = 0
  form.hidden = false

  const close = () => {
    list.hidden = true
    input.ariaExpanded = 'false'
    input.removeAttribute('aria-activedescendant')
    count.textContent = ''
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
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    close()
    if (words.length === 0) return
    const all = find(words)
    found = all.slice(0, MOST)
    count.textContent = all.length > MOST ? `The best ${MOST} of ${all.length}` : `${all.length} found`
    list.replaceChildren(...found.map((one, index) => optionOf(one, words, index)))
    if (found.length === 0) return
    list.hidden = false
    input.ariaExpanded = 'true'
    mark(0)
  }
  const open = (index: number) => {
    const one = found[index]
    if (!one) return
    // What was found may be in closed details.
    for (const { element } of one.at)
      for (let at = element.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
        at.open = true
    close()
    const heading = document.querySelector<HTMLElement>(`[id="${one.id}"] h3`)
    location.hash = one.id
    document.getElementById(one.id)?.scrollIntoView({ behavior: 'instant' })
    if (heading) heading.tabIndex = -1
    heading?.focus({ preventScroll: true })
  }

  input.addEventListener('input', search)
  form.addEventListener('submit', (event) => event.preventDefault())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
    if (found.length === 0) return
    const act = {
      ArrowDown: () => mark(active + 1),
      ArrowUp: () => mark(active - 1),
      Enter: () => open(active),
    }[event.key]
    if (!act) return
    event.preventDefault()
    act()
  })
  // Before the input loses the focus.
  list.addEventListener('mousedown', (event) => event.preventDefault())
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
