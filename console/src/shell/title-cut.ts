/** How far above the pointed element the one is that cuts its text: a name may be in a `bdi`. */
const LEVELS = 3

/**
 * Gives each text that an ellipsis cuts its whole as a title, when the pointer comes to it. Returns a function that stops this.
 */
export function titleCut(): () => void {
  const titled = new WeakSet<HTMLElement>()
  const pointed = ({ target }: PointerEvent) => {
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
  document.addEventListener('pointerover', pointed)
  return () => document.removeEventListener('pointerover', pointed)
}

function hasEllipsis(element: HTMLElement): boolean {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element)
  return textOverflow === 'ellipsis' || webkitLineClamp !== 'none'
}

function isCut({ scrollWidth, clientWidth, scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollWidth > clientWidth || scrollHeight > clientHeight
}
