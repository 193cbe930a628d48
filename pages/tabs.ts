/**
 * Shows the same example in one language at a time. Without this script all of them are below one another:
 *
 *     <div class="tabs">
 *     <figure data-language="ts"><figcaption>TypeScript</figcaption><pre>…</pre></figure>
 *     <figure data-language="sh"><figcaption>curl</figcaption><pre>…</pre></figure>
 *     </div>
 *
 * The choice is kept in this browser, for all pages.
 */
const KEY = 'code language'

/** An example and its tab. */
interface Example {
  language: string
  tab: HTMLButtonElement
  panel: HTMLElement
}

const groups = [...document.querySelectorAll<HTMLElement>('.tabs')].map(tabsOf)
show(remembered())

function tabsOf(group: HTMLElement, index: number): Example[] {
  const list = document.createElement('div')
  list.role = 'tablist'
  list.ariaLabel = 'Language'
  const examples = [...group.querySelectorAll<HTMLElement>('[data-language]')].map((panel): Example => {
    const language = panel.dataset.language ?? ''
    const caption = panel.querySelector('figcaption')
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.role = 'tab'
    tab.id = `tab-${index}-${language}`
    tab.textContent = caption?.textContent ?? language
    panel.id = `panel-${index}-${language}`
    panel.role = 'tabpanel'
    panel.setAttribute('aria-labelledby', tab.id)
    tab.setAttribute('aria-controls', panel.id)
    tab.addEventListener('click', () => choose(language, tab))
    caption?.remove()
    list.append(tab)
    return { language, tab, panel }
  })
  list.addEventListener('keydown', (event) => {
    const at = examples.findIndex(({ tab }) => tab === event.target)
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key]
    const example = next === undefined ? undefined : examples.at(next % examples.length)
    if (at < 0 || !example) return
    event.preventDefault()
    choose(example.language, example.tab)
    example.tab.focus({ preventScroll: true })
  })
  group.prepend(list)
  return examples
}

/** Shows a language everywhere, and keeps the tab where it is in the window, although examples above it change their height. */
function choose(language: string, tab: HTMLElement): void {
  const before = tab.getBoundingClientRect().top
  show(language)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // The browser keeps nothing for this site: the choice lasts as long as the page.
  }
}

/** Shows a language; where a group lacks it, the first one of the group. */
function show(language: string): void {
  for (const examples of groups) {
    const shown = examples.find((example) => example.language === language) ?? examples[0]
    for (const example of examples) {
      example.panel.hidden = example !== shown
      example.tab.ariaSelected = String(example === shown)
      example.tab.tabIndex = example === shown ? 0 : -1
    }
  }
}

function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? 'ts'
  } catch {
    return 'ts'
  }
}
