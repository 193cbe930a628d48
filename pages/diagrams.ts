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

const FONT_SIZE = 14

function initialize(text: string, room: number): void {
  globalThis.mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'base',
    themeVariables: { ...colours(), darkMode: dark.matches, fontSize: `${FONT_SIZE}px` },
    fontFamily: getComputedStyle(document.body).fontFamily,
    // Texts are drawn as large as they are on the page: a diagram that is wider than its box scrolls.
    state: { useMaxWidth: false },
    flowchart: {
      useMaxWidth: false,
      ...(narrow.matches && { wrappingWidth: 130, nodeSpacing: 20, rankSpacing: 35, padding: 8 }),
    },
    sequence: { useMaxWidth: false, ...(narrow.matches && narrowSequence(text, room)) },
  })
}

/** Lifelines as close as the room asks, and far enough apart for the longest word: Mermaid would break it with a hyphen. */
function narrowSequence(text: string, room: number): Record<string, unknown> {
  const pen = document.createElement('canvas').getContext('2d')
  if (pen) pen.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`
  const words = [...text.matchAll(/^.*>>.*?: (.*)$/gm)].flatMap(([, message = '']) => message.split(' '))
  const longest = Math.max(...words.map((word) => pen?.measureText(word).width ?? 0))
  const gaps = Math.max((text.match(/^ *participant /gm)?.length ?? 2) - 1, 1)
  const width = 76
  const distance = Math.max(longest + 24, (room - width - 4) / gaps)
  return {
    wrap: true,
    width,
    height: 44,
    actorMargin: distance - width,
    diagramMarginX: 0,
    diagramMarginY: 0,
    messageFontSize: FONT_SIZE,
    noteFontSize: FONT_SIZE,
    actorFontSize: FONT_SIZE,
  }
}

let drawn = 0

async function svgOf(text: string): Promise<{ svg: string; width: number }> {
  const { svg } = await globalThis.mermaid.render(`diagram-${drawn++}`, text)
  return { svg, width: Number(/ viewBox="\S+ \S+ (\S+)/.exec(svg)?.[1]) }
}

/** A diagram; in a narrow window a flowchart has the direction that makes it narrower. */
async function narrowest(text: string): Promise<string> {
  const written = await svgOf(text)
  const [flowchart, direction] = /^flowchart (LR|TB|TD)/.exec(text) ?? []
  if (!narrow.matches || flowchart === undefined) return written.svg
  const turned = await svgOf(text.replace(flowchart, `flowchart ${direction === 'LR' ? 'TB' : 'LR'}`))
  return turned.width < written.width ? turned.svg : written.svg
}

async function draw(): Promise<void> {
  for (const { place, text } of diagrams) {
    const { paddingLeft, paddingRight } = getComputedStyle(place)
    initialize(text, place.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight))
    // Mermaid sanitises the SVG, and the source text is the project's own.
    place.innerHTML = await narrowest(text)
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
