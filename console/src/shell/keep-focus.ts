/** An element that had the focus, and the elements around it, the nearest first, each with its place in the next one. */
type Trail = readonly { element: Element; index: number }[]

const focusable = 'a[href], button:enabled, input:enabled, textarea:enabled, [tabindex="0"]'

/**
 * Keeps the focus near when the focused element disappears or is disabled, as the row of an item that is deleted: what took
 * its place gets it, else what is around it. Browsers would begin at the top of the page again. A dialog
 * that closes returns the focus by itself, and this does when that can't. Returns what ends it.
 */
export function keepFocus(page: HTMLElement): () => void {
  let inPage: Trail = []
  let above: Trail = []
  const focused = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    if (page.contains(target)) [inPage, above] = [trailOf(target), []]
    else above = trailOf(target)
  }
  // A person who leaves the focused element by a press elsewhere has left it.
  const pressed = () => {
    inPage = []
  }
  const observer = new MutationObserver(() => {
    // After what restores the focus in a frame of its own.
    requestAnimationFrame(() => requestAnimationFrame(restore))
  })
  function restore() {
    if (document.activeElement !== document.body || !document.hasFocus()) return
    followed(above.at(-1)?.element.isConnected ? above : inPage)
  }
  document.addEventListener('focusin', focused)
  page.addEventListener('pointerdown', pressed, { capture: true })
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  return () => {
    document.removeEventListener('focusin', focused)
    page.removeEventListener('pointerdown', pressed, { capture: true })
    observer.disconnect()
  }
}

/** An element, and what is around it below the document's body. */
function trailOf(target: Element): Trail {
  const trail: { element: Element; index: number }[] = []
  for (
    let element = target;
    element.parentElement && element !== document.body;
    element = element.parentElement
  )
    trail.push({ element, index: [...element.parentElement.children].indexOf(element) })
  return trail
}

/** Focuses the first element along a trail that takes the focus. */
function followed(trail: Trail): void {
  for (const [step, { element }] of trail.entries()) {
    if (!element.isConnected) continue
    const gone = trail[step - 1]
    const near = gone ? [element.children[gone.index], element.children[gone.index - 1]] : []
    if ([...near, element].some((one) => one && takesFocus(one))) return
  }
}

/** Focuses an element, or else the first one within it that can be focused. */
function takesFocus(element: Element): boolean {
  const candidates = element.matches(focusable) ? [element] : element.querySelectorAll(focusable)
  for (const candidate of candidates) {
    if (candidate instanceof HTMLElement) candidate.focus()
    if (document.activeElement === candidate) return true
  }
  return false
}
