/** Shows a link in the middle of a list that scrolls, unless it is in view. `scrollIntoView` would scroll the page, too. */
export function keepInView(list: Element, link: Element): void {
  const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()]
  const bottom = Math.min(outer.bottom, innerHeight)
  if (inner.top < outer.top || inner.bottom > bottom)
    list.scrollTop += inner.top - outer.top - (bottom - outer.top) / 2
}
