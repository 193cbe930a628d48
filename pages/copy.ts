/**
 * Copies the text of an element. Returns false, with the text selected instead, when the browser denies the clipboard, as it
 * does to pages of other machines without https.
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
