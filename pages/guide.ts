/** A guide: its diagrams, its blocks of code, and the heading that is being read. */
import { enhanceCode } from './code.ts'
import { drawDiagrams } from './diagrams.ts'
import { keepInView } from './keep-in-view.ts'

enhanceCode()
drawDiagrams()

/** Opens what a window of a width has room for, and folds it in a narrower one. */
function unfold(selector: string, width: string): void {
  const fold = document.querySelector<HTMLDetailsElement>(selector)
  const wide = matchMedia(`(min-width: ${width})`)
  const follow = () => {
    if (fold) fold.open = wide.matches
  }
  follow()
  wide.addEventListener('change', follow)
}

// The widths are those of pages/guide.css.
unfold('.side > .fold', '56.01rem')
unfold('.outline > .fold', '72.01rem')

/** The links of "On this page", each with its heading. */
const links = [...document.querySelectorAll<HTMLAnchorElement>('.outline a')].map((link) => ({
  link,
  heading: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}))

/** Headings above this line, in pixels from the top of the window, have been reached. */
const LINE = 100

const outline = document.querySelector('.outline')
let current: HTMLAnchorElement | undefined

/** Marks the link of the last heading that has been reached; at the end of the page the last one. */
function markCurrent(): void {
  const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  const reached = links.findLast(
    ({ heading }) => isAtEnd || (heading?.getBoundingClientRect().top ?? 0) <= LINE,
  )
  if (reached?.link === current) return
  current?.removeAttribute('aria-current')
  current = reached?.link
  current?.setAttribute('aria-current', 'true')
  if (outline && current) keepInView(outline, current)
}

let isDue = false
addEventListener(
  'scroll',
  () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      markCurrent()
    })
  },
  { passive: true },
)
markCurrent()

// The guide that is being read may be far down in the list.
const guides = document.querySelector('.side > .fold')
const guide = guides?.querySelector('[aria-current]')
if (guides && guide?.checkVisibility()) keepInView(guides, guide)

// Tabs are lower than the blocks that they have taken the place of.
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
