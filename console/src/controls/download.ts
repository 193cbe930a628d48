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
