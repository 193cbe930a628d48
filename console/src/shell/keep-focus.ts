/** An element that had the focus, and its ancestors, the nearest first, each with its index among its siblings. */
type Trail = readonly { element: Element; index: number }[]

/** What accepts the focus. Not the heads of a list, which are before its rows, where the focus was. */
const focusable =
  ':is(a[href], button:enabled, input:enabled, textarea:enabled, [tabindex="0"]):not(.column-head)'

/**
 * Keeps the focus near when the focused element disappears or is disabled, like the row of a deleted item: moves it to the
 * element that took its place, or else to an ancestor. Browsers would start at the top of the page again. Also moves the focus
 * when a dialog closes and can't return it. Returns a function that stops this.
 */
export function keepFocus(page: HTMLElement): () => void {
  let inPage: Trail = []
  let above: Trail = []
  const focused = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    if (page.contains(target)) [inPage, above] = [trailOf(target), []]
    else above = trailOf(target)
  }
  // A press elsewhere takes the focus away on purpose.
  const pressed = () => {
    inPage = []
  }
  const observer = new MutationObserver(() => {
    // React Aria restores the focus in a frame of its own, which goes first.
    requestAnimationFrame(() => requestAnimationFrame(restore))
  })
  function restore() {
    if (document.activeElement !== document.body || !document.hasFocus()) return
    focusAlong(above.at(-1)?.element.isConnected ? above : inPage)
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

/** An element and its ancestors below the document's body. */
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

/** Focuses the first element along a trail that accepts the focus. */
function focusAlong(trail: Trail): void {
  for (const [step, { element }] of trail.entries()) {
    if (!element.isConnected) continue
    const gone = trail[step - 1]
    const near = gone ? [element.children[gone.index], element.children[gone.index - 1]] : []
    if ([...near, element].some((one) => one && takesFocus(one))) return
  }
}

/** Focuses an element, or else the first focusable element within it. Returns whether one accepted the focus. */
function takesFocus(element: Element): boolean {
  const candidates = element.matches(focusable) ? [element] : element.querySelectorAll(focusable)
  for (const candidate of candidates) {
    if (candidate instanceof HTMLElement) candidate.focus()
    if (document.activeElement === candidate) return true
  }
  return false
}
