/** The bar of guides and the reference: the theme, which is that of the console, and the link to it where it is served. */
const KEY = 'console theme'
const themes = ['system', 'light', 'dark']

const button = document.querySelector<HTMLButtonElement>('#theme')

/** The chosen theme; in a browser without storage that of the page. */
function chosen(): string {
  try {
    return localStorage.getItem(KEY) ?? 'system'
  } catch {
    return document.documentElement.dataset.theme ?? 'system'
  }
}

function choose(theme: string): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // It lasts until the page is left.
  }
  tell()
}

function tell(): void {
  button?.setAttribute('aria-label', `Theme: ${chosen()}. Change it`)
}

if (button) {
  button.hidden = false
  tell()
  button.addEventListener('click', () => {
    const next = (themes.indexOf(chosen()) + 1) % themes.length
    choose(themes[next] ?? 'system')
  })
}

/** A deployment may have no console. */
async function linkConsole(): Promise<void> {
  const answer = await fetch('/console/', { method: 'HEAD' }).catch(() => undefined)
  const link = document.querySelector<HTMLElement>('#to-console')
  if (link && answer?.ok) link.hidden = false
}

void linkConsole()
