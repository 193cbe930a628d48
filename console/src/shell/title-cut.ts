/** How far above the pointed element the one is that cuts its text: a name may be in a `bdi`. */
const LEVELS = 3

/** How long the pointer rests before it is asked what is cut, in milliseconds: while a list scrolls, it passes over every row. */
const REST_MS = 100

/**
 * Gives each text that an ellipsis cuts its whole as a title, when the pointer rests on it. Returns a function that stops this.
 */
export function titleCut(): () => void {
  const titled = new WeakSet<HTMLElement>()
  let resting: ReturnType<typeof setTimeout> | undefined
  const entitle = (target: EventTarget | null) => {
    let element = target instanceof HTMLElement ? target : null
    for (let level = 0; element && level < LEVELS; level++, element = element.parentElement) {
      const isOurs = titled.has(element)
      if (!hasEllipsis(element) || (element.title !== '' && !isOurs)) continue
      if (isCut(element)) {
        element.title = element.textContent
        titled.add(element)
      } else if (isOurs) element.removeAttribute('title')
    }
  }
  const pointed = ({ target }: PointerEvent) => {
    clearTimeout(resting)
    resting = setTimeout(() => entitle(target), REST_MS)
  }
  document.addEventListener('pointerover', pointed)
  return () => {
    clearTimeout(resting)
    document.removeEventListener('pointerover', pointed)
  }
}

function hasEllipsis(element: HTMLElement): boolean {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element)
  return textOverflow === 'ellipsis' || webkitLineClamp !== 'none'
}

function isCut({ scrollWidth, clientWidth, scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollWidth > clientWidth || scrollHeight > clientHeight
}
