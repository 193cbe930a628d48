/** Draws the diagrams of a guide with Mermaid, in the colours of the page. */

/** The part of Mermaid that is used. */
interface Mermaid {
  initialize(configuration: Record<string, unknown>): void
  render(id: string, text: string): Promise<{ svg: string }>
}

declare global {
  var mermaid: Mermaid
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const narrow = matchMedia('(max-width: 40rem)')

/** The element of each diagram, with its source text. */
const diagrams = [...document.querySelectorAll<HTMLElement>('[data-diagram]')].map((place) => ({
  place,
  text: place.textContent,
}))

/** The colours that Mermaid computes with: it can't take the variables of pages/base.css. */
function colours(): Record<string, string> {
  const probe = document.body.appendChild(document.createElement('span'))
  const of = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const [text, quiet, line, surface, code, ground, accent] = [
    'text',
    'quiet',
    'line',
    'surface',
    'code',
    'ground',
    'accent',
  ].map(of)
  probe.remove()
  return Object.fromEntries(
    Object.entries({
      primaryColor: code,
      primaryTextColor: text,
      primaryBorderColor: quiet,
      lineColor: quiet,
      textColor: text,
      signalTextColor: text,
      edgeLabelBackground: surface,
      clusterBkg: ground,
      clusterBorder: line,
      noteBkgColor: ground,
      noteTextColor: text,
      noteBorderColor: accent,
    }).map(([name, colour = '']) => [name, colour]),
  )
}

let drawn = 0

async function draw(): Promise<void> {
  globalThis.mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'base',
    themeVariables: { ...colours(), darkMode: dark.matches, fontSize: '14px' },
    fontFamily: getComputedStyle(document.body).fontFamily,
    // Texts are drawn as large as they are on the page: a diagram that is wider than its box scrolls.
    flowchart: { useMaxWidth: false },
    state: { useMaxWidth: false },
    sequence: {
      useMaxWidth: false,
      ...(narrow.matches && {
        wrap: true,
        width: 90,
        actorMargin: 15,
        diagramMarginX: 0,
        messageFontSize: 14,
      }),
    },
  })
  for (const { place, text } of diagrams) {
    const source = narrow.matches ? text.replace(/^flowchart LR/, 'flowchart TB') : text
    const { svg } = await globalThis.mermaid.render(`diagram-${drawn++}`, source)
    // Mermaid sanitises the SVG, and the source text is the project's own.
    place.innerHTML = svg
    place.dataset.diagram = 'drawn'
    tellWidth(place)
  }
}

/** Says below a diagram that is wider than its box that it can be scrolled, and lets the keyboard do so. */
function tellWidth(place: HTMLElement): void {
  const isWide = place.scrollWidth > place.clientWidth
  const told = place.nextElementSibling?.classList.contains('sideways') ? place.nextElementSibling : undefined
  if (isWide) place.tabIndex = 0
  else place.removeAttribute('tabindex')
  if (!isWide) told?.remove()
  else if (!told) {
    const hint = document.createElement('p')
    hint.className = 'note sideways'
    hint.textContent = 'The diagram goes on to the right →'
    place.after(hint)
  }
}

/** Draws all diagrams, again when the theme changes or the window becomes narrow. */
export function drawDiagrams(): void {
  if (diagrams.length === 0) return
  const script = document.createElement('script')
  script.src = '/static/mermaid.js'
  script.addEventListener('load', draw)
  document.head.append(script)
  dark.addEventListener('change', draw)
  narrow.addEventListener('change', draw)
}
