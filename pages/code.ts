/** Blocks of code: a button that copies each, and tabs of the languages in which an example is there. */
import { copy } from './copy.ts'

const KEY = 'language'

/** The language that was chosen last, on any page. A browser that keeps nothing for pages has none. */
function chosen(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

function remember(language: string): void {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // The choice holds on this page alone.
  }
}

/** One set of tabs, with a panel for each language. */
class Tabs {
  readonly #tabs: { tab: HTMLButtonElement; panel: HTMLElement; language: string }[]

  constructor(block: HTMLElement, number: number) {
    const head = document.createElement('div')
    head.className = 'head'
    const list = document.createElement('div')
    list.role = 'tablist'
    list.ariaLabel = 'Languages'
    head.append(list)
    this.#tabs = [...block.querySelectorAll<HTMLElement>('.panel')].map((panel) => {
      const { language = '', label = '' } = panel.dataset
      const tab = document.createElement('button')
      tab.type = 'button'
      tab.role = 'tab'
      tab.id = `tab-${number}-${language}`
      tab.textContent = label
      panel.id = `panel-${number}-${language}`
      panel.role = 'tabpanel'
      tab.setAttribute('aria-controls', panel.id)
      panel.setAttribute('aria-labelledby', tab.id)
      panel.querySelector('.head')?.remove()
      tab.addEventListener('click', () => choose(language, tab))
      list.append(tab)
      return { tab, panel, language }
    })
    list.addEventListener('keydown', (event) => this.#onKey(event))
    head.append(copyButton(() => this.#tabs.find(({ panel }) => !panel.hidden)?.panel.querySelector('pre')))
    block.prepend(head)
  }

  /** Shows a language; the first, when there is no such tab. */
  show(wanted: string | null): void {
    const shown = this.#tabs.find(({ language }) => language === wanted) ?? this.#tabs[0]
    for (const one of this.#tabs) {
      one.tab.ariaSelected = String(one === shown)
      one.tab.tabIndex = one === shown ? 0 : -1
      one.panel.hidden = one !== shown
    }
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#tabs.findIndex(({ tab }) => tab === document.activeElement)
    const last = this.#tabs.length - 1
    const places: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }
    const place = places[event.key]
    if (place === undefined) return
    event.preventDefault()
    const to = this.#tabs[(place + this.#tabs.length) % this.#tabs.length]
    if (!to) return
    to.tab.focus()
    choose(to.language, to.tab)
  }
}

let all: Tabs[] = []

/** Shows a language in all tabs of the page, and keeps `tab` where it is in the window, though blocks above it change. */
function choose(language: string, tab: HTMLElement): void {
  const before = tab.getBoundingClientRect().top
  for (const tabs of all) tabs.show(language)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  remember(language)
}

function copyButton(find: () => HTMLElement | null | undefined): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const block = find()
    if (block) button.textContent = (await copy(block)) ? 'Copied' : 'Selected'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  return button
}

/** Adds the buttons and tabs to the blocks of the page. */
export function enhanceCode(): void {
  all = [...document.querySelectorAll<HTMLElement>('.tabs')].map((block, number) => new Tabs(block, number))
  const language = chosen()
  for (const tabs of all) tabs.show(language)
  for (const head of document.querySelectorAll<HTMLElement>('.code:not(.tabs) > .head'))
    head.append(copyButton(() => head.parentElement?.querySelector('pre')))
}
