/** Bytes in base64 (RFC 4648 §4). For digests: longer content would exceed the arguments of one call. */
export function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}
