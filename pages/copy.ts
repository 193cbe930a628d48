/**
 * Copies the text of an element. Without https a browser gives pages of other machines no clipboard: then it is selected,
 * and the answer is false.
 */
export async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent)
    return true
  } catch {
    getSelection()?.selectAllChildren(element)
    return false
  }
}
