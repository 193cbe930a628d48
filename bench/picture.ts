/** Draws the pictures of the benches: plain SVG for light and dark pages. */
import { escaped } from '../scripts/pages/escaped.ts'

interface Picture {
  width: number
  height: number
  /** The label for screen readers. */
  label: string
  head: string
  note: string
  /** Further styles, for light and for dark pages. */
  light: string
  dark: string
  body: string
}

export function picture({ width, height, label, head, note, light, dark, body }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .head { font-weight: 600; font-size: 15px } .note, .tick { fill: #59636e }
.grid { stroke: #d1d9e0 } .page { fill: #fff }
${light}
@media (prefers-color-scheme: dark) { .page { fill: #0d1117 } text { fill: #f0f6fc } .note, .tick { fill: #9198a1 } .grid { stroke: #3d444d }
${dark} }
</style>
<rect class="page" width="${width}" height="${height}"/>
<text class="head" x="16" y="24">${escaped(head)}</text>
<text class="note" x="16" y="44">${escaped(note)}</text>
${body}
</svg>
`
}
