/**
 * Downloads the content at a signed URL. Content that browsers show, like a picture, may open in a new tab instead: they ignore
 * `download` for another origin, and the bucket has one.
 */
export function download({ url }: { url: string }): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.target = '_blank'
  link.rel = 'noopener'
  link.click()
}

/** Downloads bytes that the page has, as a file. */
export function saveBytes(bytes: Uint8Array<ArrayBuffer>, type: string, name: string): void {
  const href = URL.createObjectURL(new Blob([bytes], { type }))
  const link = document.createElement('a')
  link.href = href
  link.download = name
  link.click()
  URL.revokeObjectURL(href)
}
