/** The most bytes of a preview (docs/previews.md). */
const MOST_BYTES = 2 ** 20

/** The longest sides that are tried, in pixels. */
const SIDES = [1_280, 640]

/** Makes a preview from content: a WebP of at most 1 MiB. Undefined when the browser can't show the content as a picture. */
export async function previewFrom(content: Blob): Promise<Blob | undefined> {
  if (!content.type.startsWith('image/')) return undefined
  try {
    const bitmap = await createImageBitmap(content)
    for (const side of SIDES) {
      const picture = await drawn(bitmap, Math.min(1, side / Math.max(bitmap.width, bitmap.height)))
      if (picture.size <= MOST_BYTES) return picture
    }
  } catch {
    // The content is no picture that the browser knows.
  }
  return undefined
}

async function drawn(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const sideOf = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  const canvas = new OffscreenCanvas(sideOf(bitmap.width), sideOf(bitmap.height))
  const context = canvas.getContext('2d')
  context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  // A browser that can't write WebP writes a PNG.
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
}
