/** The largest content that the page reads into memory to save it. */
const LARGEST_HELD_BYTES = 64 * 2 ** 20

/**
 * Saves the content at a signed URL as a file. Content that browsers show, like a picture, is read into memory first, because a
 * link would open it. Large content of that kind opens in a tab.
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
