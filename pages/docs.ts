/** The reference: links of earlier releases, the list's current request, copying, and tokens of development. */
import { enhanceCode } from './code.ts'
import { copy } from './copy.ts'
import { developmentToken, health } from './health.ts'
import { keepInView } from './keep-in-view.ts'

/** The host that examples have, with the scheme for a deployment in it. */
const EXAMPLE = /(?<=http|ws):\/\/localhost:8787/g
const own = `${location.protocol === 'https:' ? 's' : ''}://${location.host}`

/** The id of what the address names. An address `#api/tag/TAG/METHOD/PATH` of another reference of the same description works too. */
function named(): string {
  const name = decodeURIComponent(location.hash.slice(1))
  const [, tag = '', request] = /(?:^|\/)tag\/([^/]+)(?:\/(.+))?$/.exec(name) ?? []
  if (!tag) return name
  const asked = request?.replace('/', ' /')
  const found = [...document.querySelectorAll<HTMLElement>('[data-request]')].find(
    (one) => one.dataset.request === asked,
  )
  return found?.id ?? tag
}

/** Scrolls to what the address names. The browser has done so before the examples became tabs, which moved it. */
function show(): void {
  const id = named()
  const target = id === '' ? null : document.getElementById(id)
  if (!target) return
  if (location.hash !== `#${id}`) location.replace(`#${id}`)
  target.scrollIntoView({ behavior: 'instant' })
}

addEventListener('hashchange', show)

// The list marks what is being read, and opens its group.
const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>('.side a')].map((link) => [link.hash.slice(1), link]),
)
const list = document.querySelector<HTMLDetailsElement>('.side > .all')
const groups = document.querySelectorAll<HTMLDetailsElement>('.all > .group')
const watching = new IntersectionObserver(
  (entries) => {
    const link = links.get(entries.findLast(({ isIntersecting }) => isIntersecting)?.target.id ?? '')
    if (!link) return
    for (const other of links.values()) other.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'location')
    for (const group of groups) if (group.contains(link)) group.open = true
    if (list && link.checkVisibility()) keepInView(list, link)
  },
  { rootMargin: '-15% 0px -80%' },
)
for (const article of document.querySelectorAll('.operation, #errors')) watching.observe(article)

for (const { firstChild } of document.querySelectorAll('.examples code'))
  for (let at: ChildNode | null = firstChild; at; at = at.nextSibling)
    if (at.textContent?.match(EXAMPLE)) at.textContent = at.textContent.replaceAll(EXAMPLE, own)
enhanceCode()

/** Offers tokens where the server makes them. */
async function offerTokens(form: HTMLFormElement): Promise<void> {
  if (!(await health()).makes_tokens) return
  form.hidden = false
  const note = form.querySelector<HTMLElement>('.note')
  const place = form.querySelector<HTMLElement>('pre')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (!note || !place) return
    const fields = new FormData(form)
    try {
      const token = await developmentToken(String(fields.get('user_id')), String(fields.get('scope')))
      place.textContent = `TOKEN=${token}`
      place.hidden = false
      note.textContent = (await copy(place))
        ? 'Copied, for a shell. It is valid for a day.'
        : 'Copy it with the keyboard. It is valid for a day.'
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : String(error)
    }
  })
}

// On a narrow screen the list is closed, so that the text comes first.
if (list && matchMedia('(max-width: 60rem)').matches) list.open = false
show()
const form = document.querySelector<HTMLFormElement>('#token-form')
if (form) await offerTokens(form)
