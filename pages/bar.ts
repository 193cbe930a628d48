/** The bar of guides and the reference: the theme, which is that of the console, and the link to it where it is served. */
const KEY = 'console theme'
const themes = ['system', 'light', 'dark']

const button = document.querySelector<HTMLButtonElement>('#theme')

/** The theme of the page: that of the choice (pages/theme.ts). */
const chosen = () => document.documentElement.dataset.theme ?? 'system'

function choose(theme: string): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Storage is off: the choice lasts until the page is left.
  }
  label()
}

function label(): void {
  button?.setAttribute('aria-label', `Theme: ${chosen()}. Change it`)
}

if (button) {
  button.hidden = false
  label()
  button.addEventListener('click', () => {
    const next = (themes.indexOf(chosen()) + 1) % themes.length
    choose(themes[next] ?? 'system')
  })
}

/** Shows the link to the console, which a deployment may not have: each tab asks once. */
async function linkConsole(): Promise<void> {
  const link = document.querySelector<HTMLElement>('#to-console')
  if (!link) return
  let isThere: string | null = null
  try {
    isThere = sessionStorage.getItem('console is there')
    isThere ??= String((await fetch('/console/', { method: 'HEAD' })).ok)
    sessionStorage.setItem('console is there', isThere)
  } catch {
    // Storage is off, or the service does not answer.
  }
  link.hidden = isThere !== 'true'
}

void linkConsole()
