/** The bytes of a save. */
export interface Content {
  bytes: Uint8Array<ArrayBuffer>
  mime_type: string
  /** The bytes as a text; undefined when they are no text, or too long to show. */
  text: string | undefined
}

/** The longest content that is shown as a text. */
const TEXT_BYTES = 64 * 1_024

/** What no text has: control characters except tab and line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they tell bytes from text
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Reads bytes as a text where they are one. Their type does not say it: games leave it out. */
export function contentOf(bytes: Uint8Array<ArrayBuffer>, mime_type: string): Content {
  return { bytes, mime_type, text: bytes.length > TEXT_BYTES ? undefined : textOf(bytes) }
}

/** The content of a text that somebody types. */
export function typedContent(text: string, mime_type: string): Content {
  return contentOf(new TextEncoder().encode(text), mime_type)
}

/** The content of a file. */
export async function contentOfFile(file: File): Promise<Content> {
  return contentOf(new Uint8Array(await file.arrayBuffer()), file.type || 'application/octet-stream')
}

/** The lines of a text; those of JSON one member each, so that two can be compared. */
export function linesOf(text: string): string[] {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split('\n')
  } catch {
    return text.split('\n')
  }
}

function textOf(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return CONTROL.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
