import { type Client, ServiceError } from 'edge-game-storage-client'

/** What the service takes as a preview (docs/pictures.md#previews-of-game-assets). */
const MOST_BYTES = 2 ** 20
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

/** The longest sides that are tried, in pixels. */
const SIDES = [1_280, 640]

/**
 * Makes a picture of a preview's size from content: a WebP. Undefined when the browser can't show the content as a picture.
 */
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

/** Sets a picture as the preview of an asset. One that the service does not take is made smaller, or a still WebP. */
export async function setPreview(client: Client, id: string, picture: Blob): Promise<void> {
  const set = (content: Blob) => client.assets.setPreview({ id, content, mime_type: content.type })
  const isFit = picture.size <= MOST_BYTES && TYPES.includes(picture.type)
  try {
    await set((isFit ? undefined : await previewFrom(picture)) ?? picture)
  } catch (error) {
    // Its pixels are more than the service takes, or deeper, or they move.
    const isRefused = error instanceof ServiceError && error.code === 'UPLOAD_MISMATCH'
    const smaller = isFit && isRefused ? await previewFrom(picture) : undefined
    if (smaller === undefined) throw error
    await set(smaller)
  }
}

async function drawn(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const sideOf = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  const canvas = new OffscreenCanvas(sideOf(bitmap.width), sideOf(bitmap.height))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  // A browser that can't write WebP writes a PNG.
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
}
