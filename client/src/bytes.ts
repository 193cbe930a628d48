/** Bytes with a buffer of their own: `Uint8Array<ArrayBuffer>`, which the compiler before TypeScript 5.7 does not know. */
export type ByteArray = ReturnType<Uint8ArrayConstructor['of']>

/** What every method that takes bytes accepts. A string stands for its UTF-8. */
export type BytesSource = string | Blob | ArrayBufferLike | ArrayBufferView

/**
 * The bytes of what an application gives, as they are now: a copy, except of a `Blob`, which never changes.
 *
 * @throws TypeError for everything else, which `Uint8Array` and `fetch` would turn into other bytes, or into none
 */
export function bytesOf(given: BytesSource): ByteArray | Blob {
  if (isBlob(given)) return given
  if (typeof given === 'string') {
    if (/[\ud800-\udfff]/u.test(given)) throw new TypeError('The text has half of a surrogate pair.')
    return new Uint8Array(new TextEncoder().encode(given))
  }
  return new Uint8Array(viewOf(given))
}

/** The bytes of an ArrayBuffer or a view, where they are. @throws TypeError for everything else */
export function viewOf(given: unknown): Uint8Array {
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
  if (isBuffer(given)) return new Uint8Array(given)
  const found = given === null ? 'null' : isOfClass(given, 'Promise') ? 'a Promise: await it' : typeof given
  throw new TypeError(
    `These are no bytes (${found}). Give a string, a Blob, an ArrayBuffer or a view of one, like Uint8Array.`,
  )
}

/** The bytes of what `bytesOf` returns. @throws TypeError in a runtime that can't read a `Blob`, like React Native */
export async function readBytes(bytes: ByteArray | Blob): Promise<ByteArray> {
  return bytes instanceof Uint8Array ? bytes : new Uint8Array(await bytes.arrayBuffer())
}

function isBuffer(value: unknown): value is ArrayBufferLike {
  return isOfClass(value, 'ArrayBuffer', 'SharedArrayBuffer')
}

function isBlob(value: unknown): value is Blob {
  return (typeof Blob !== 'undefined' && value instanceof Blob) || isOfClass(value, 'Blob', 'File')
}

/** Whether a value is of a class, also of that of another page. */
function isOfClass(value: unknown, ...names: string[]): boolean {
  return names.includes(Object.prototype.toString.call(value).slice(8, -1))
}
