/** Up to here a page holds content in memory to save it. */
const LARGEST_HELD_BYTES = 64 * 2 ** 20

/**
 * Saves the content at a signed URL as a file. What storage shows in place, like a picture, is read first, because a link
 * to it would open it; of that, what is large opens in a tab.
 */
export async function saveFrom(url: string, name: string): Promise<void> {
  const ended = new AbortController()
  const response = await fetch(url, { signal: ended.signal })
  if (!response.ok) throw new Error(`Storage answered ${response.status}.`)
  const isAttachment = response.headers.get('Content-Disposition')?.startsWith('attachment') ?? true
  const size = Number(response.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY)
  if (isAttachment || size > LARGEST_HELD_BYTES) {
    ended.abort()
    return press(url, name, !isAttachment)
  }
  const held = URL.createObjectURL(await response.blob())
  press(held, name, false)
  URL.revokeObjectURL(held)
}

function press(href: string, name: string, isInNewTab: boolean): void {
  const link = document.createElement('a')
  link.href = href
  link.download = name
  if (isInNewTab) {
    link.target = '_blank'
    link.rel = 'noreferrer'
  }
  link.click()
}
