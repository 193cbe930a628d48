/**
 * Downloads what a signed URL leads to. What the service lets a browser show, like a picture, may open in a new tab
 * instead, since the bucket has another address than the page.
 */
export function download({ url }: { url: string }): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.target = '_blank'
  link.rel = 'noopener'
  link.click()
}
