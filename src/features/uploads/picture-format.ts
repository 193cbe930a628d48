/** The number of bytes that suffice to recognise any picture format. */
export const FIRST_BYTES = 4_096

/** The MIME type of content by its first bytes. */
export async function pictureFormat(bytes: ArrayBuffer): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type') // slow to load, and few requests need it
  const found = (await fileTypeFromBuffer(bytes.slice(0, FIRST_BYTES)))?.mime ?? 'no known picture format'
  // An animated PNG is a PNG with more chunks.
  return found === 'image/apng' ? 'image/png' : found
}
