/** Draws the diagrams of a guide, and makes its blocks of code easy to copy. */
import { copy } from './copy.ts'

/** The part of Mermaid that is used. */
interface Mermaid {
  initialize(configuration: Record<string, unknown>): void
  render(id: string, text: string): Promise<{ svg: string }>
}

declare global {
  var mermaid: Mermaid
}

const dark = matchMedia('(prefers-color-scheme: dark)')

/** The element of each diagram, with its source text. */
const diagrams = [...document.querySelectorAll<HTMLElement>('[data-diagram]')].map((place) => ({
  place,
  text: place.textContent,
}))

// Mermaid computes with colours, so it can't take the variables of base.css.
const lightColours = {
  primaryColor: '#f2f2ef',
  primaryTextColor: '#1c1d1f',
  primaryBorderColor: '#8b8e94',
  lineColor: '#5c5f66',
  edgeLabelBackground: '#ffffff',
  clusterBkg: '#fbfbfa',
  clusterBorder: '#e2e2de',
  noteBkgColor: '#e7f0fb',
  noteBorderColor: '#0b5fbf',
}
const darkColours = {
  primaryColor: '#222529',
  primaryTextColor: '#e8e8e6',
  primaryBorderColor: '#6d7178',
  lineColor: '#a3a7ae',
  edgeLabelBackground: '#1b1d20',
  clusterBkg: '#131416',
  clusterBorder: '#33363b',
  noteBkgColor: '#1d2d42',
  noteBorderColor: '#84b8ff',
  noteTextColor: '#e8e8e6',
  textColor: '#e8e8e6',
  signalTextColor: '#e8e8e6',
}

let drawn = 0

async function draw(): Promise<void> {
  globalThis.mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'base',
    themeVariables: { ...(dark.matches ? darkColours : lightColours), darkMode: dark.matches },
    fontFamily: 'system-ui, sans-serif',
  })
  for (const { place, text } of diagrams) {
    const { svg } = await globalThis.mermaid.render(`diagram-${drawn++}`, text)
    // Mermaid sanitises the SVG, and the source text is the project's own.
    place.innerHTML = svg
    place.dataset.diagram = 'drawn'
  }
}

if (diagrams.length > 0) {
  const script = document.createElement('script')
  script.src = '/static/mermaid.js'
  script.addEventListener('load', draw)
  document.head.append(script)
  dark.addEventListener('change', draw)
}

for (const block of document.querySelectorAll<HTMLElement>('main pre:not([data-diagram])')) {
  const around = document.createElement('div')
  around.className = 'copied'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    button.textContent = (await copy(block)) ? 'Copied' : 'Selected'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  block.replaceWith(around)
  around.append(block, button)
}

// On a narrow screen the list of guides is closed, so that the text comes first.
const list = document.querySelector('details')
if (list && matchMedia('(max-width: 56rem)').matches) list.open = false
