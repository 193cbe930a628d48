/** An entry of a Server-Timing header. */
export interface Timing {
  name: string
  /** In milliseconds. */
  duration: number | undefined
  description: string | undefined
}

/** The entries of a Server-Timing header (https://www.w3.org/TR/server-timing). */
export function timingsIn(header: string): Timing[] {
  const entries = header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []
  return entries.map((entry) => ({
    name: entry.split(';')[0]?.trim() ?? '',
    duration: numberIn(/;\s*dur\s*=\s*"?([\d.]+)/i.exec(entry)?.[1]),
    description: descriptionIn(entry),
  }))
}

function descriptionIn(entry: string): string | undefined {
  const match = /;\s*desc\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(entry)
  return match?.[2] ?? match?.[1]?.replaceAll(/\\(.)/g, '$1')
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
