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
const root = document.documentElement
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

function initialize(): void {
  globalThis.mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'base',
    themeVariables: {
      ...colours(),
      darkMode: root.dataset.theme === undefined ? dark.matches : root.dataset.theme === 'dark',
      fontSize: `${FONT_SIZE}px`,
    },
    fontFamily: getComputedStyle(document.body).fontFamily,
    // Texts are drawn as large as they are on the page: a diagram that is wider than its box scrolls.
    state: { useMaxWidth: false },
    flowchart: {
      useMaxWidth: false,
      ...(narrow.matches && { wrappingWidth: 130, nodeSpacing: 20, rankSpacing: 35, padding: 8 }),
    },
    sequence: { useMaxWidth: false, ...(narrow.matches && lifelines) },
  })
}

const ACTOR = 76
const lifelines = {
  width: ACTOR,
  height: 44,
  actorMargin: 24,
  diagramMarginX: 0,
  diagramMarginY: 0,
  messageFontSize: FONT_SIZE,
  noteFontSize: FONT_SIZE,
  actorFontSize: FONT_SIZE,
}

/** A sequence whose texts are broken into lines, so that its lifelines have room beside each other. */
function narrowed(text: string, room: number): string {
  if (!text.startsWith('sequenceDiagram')) return text
  const pen = document.createElement('canvas').getContext('2d')
  if (pen) pen.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`
  const gaps = Math.max((text.match(/^ *participant /gm)?.length ?? 2) - 1, 1)
  const widest = (room - ACTOR) / gaps - 20
  const lines = (message: string) => {
    const done: string[] = []
    // A path may be broken before a slash.
    for (const word of message.split(/(?<= )|(?=\/)/)) {
      const line = `${done.at(-1) ?? ''}${word}`
      const isShort = (pen?.measureText(line.trim()).width ?? 0) <= widest
      if (isShort) done.pop()
      done.push(isShort ? line : word)
    }
    return done
  }
  return text.replaceAll(
    /^( *(?:Note .*?|.*>>.*?): )(.*)$/gm,
    (_, head: string, message: string) =>
      head + message.replaceAll('<br/>', ' ').split(/ +$/).flatMap(lines).join('<br/>'),
  )
}

let drawn = 0

async function svgOf(text: string): Promise<{ svg: string; width: number }> {
  const { svg } = await globalThis.mermaid.render(`diagram-${drawn++}`, text)
  return { svg, width: Number(/ viewBox="\S+ \S+ (\S+)/.exec(svg)?.[1]) }
}

/** A diagram; in a narrow window a flowchart has the direction that makes it narrower. */
async function narrowest(text: string, room: number): Promise<string> {
  const written = await svgOf(narrow.matches ? narrowed(text, room) : text)
  const [flowchart, direction] = /^flowchart (LR|TB|TD)/.exec(text) ?? []
  if (!narrow.matches || flowchart === undefined) return written.svg
  const turned = await svgOf(text.replace(flowchart, `flowchart ${direction === 'LR' ? 'TB' : 'LR'}`))
  return turned.width < written.width ? turned.svg : written.svg
}

async function draw(): Promise<void> {
  initialize()
  for (const { place, text } of diagrams) {
    const { paddingLeft, paddingRight } = getComputedStyle(place)
    const room = place.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    // Mermaid sanitises the SVG, and the source text is the project's own.
    place.innerHTML = await narrowest(text, room)
    place.dataset.diagram = 'drawn'
    tellWidth(place)
  }
}

/** Says above a diagram that is wider than its box that it can be scrolled, and lets the keyboard do so. */
function tellWidth(place: HTMLElement): void {
  const isWide = place.scrollWidth > place.clientWidth
  const before = place.previousElementSibling
  const told = before?.classList.contains('sideways') ? before : undefined
  if (isWide) place.tabIndex = 0
  else place.removeAttribute('tabindex')
  if (!isWide) told?.remove()
  else if (!told) {
    const hint = document.createElement('p')
    hint.className = 'note sideways'
    hint.textContent = 'The diagram goes on to the right →'
    place.before(hint)
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
  new MutationObserver(draw).observe(root, { attributeFilter: ['data-theme'] })
  narrow.addEventListener('change', draw)
}
