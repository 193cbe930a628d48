/** Control characters, and characters that change the writing direction. */
const misleading = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

/** Characters with a visible glyph: no white space, no control characters, none that Unicode ignores by default. */
const visible = /[^\p{Cc}\p{Cs}\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/u

/** Whether a text contains control characters, bidirectional ones included (docs/conformance.md#files). */
export function isMisleading(text: string): boolean {
  return misleading.test(text)
}

/** Whether a text of several lines is misleading, as `isMisleading` decides except for tabs and the ends of lines. */
export function isMisleadingText(text: string): boolean {
  return isMisleading(text.replaceAll(/[\t\n\r]/g, ''))
}

/** Whether a text contains a visible character. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}

/** Bytes in base64 (RFC 4648 §4). For digests: longer content would exceed the arguments of one call. */
export function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

/** The marks of a Latin, Greek or Cyrillic letter. Other marks make another letter or sign: "≠" is not "=". */
const marks = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{Mark}+/gu
const accents = /[\u0300-\u036f]/g

/**
 * Characters without width. A joiner before a pictograph stays, because joined pictographs are another picture than their parts.
 */
const unseen = /(?!\u200D\p{Extended_Pictographic})\p{Default_Ignorable_Code_Point}/gu

/** Latin letters that Unicode does not decompose (UCD, UnicodeData.txt): with strokes, ligatures, and two of Icelandic. */
const letters = new Map(
  'a:ⱥ ae:æ b:ƀ c:ȼ d:đð e:ɇ g:ǥ h:ħ i:ɨ j:ɉ k:ꝁ l:łƚ o:øɵ oe:œ p:ᵽꝑ r:ɍ t:ŧⱦ th:þ u:ʉ v:ꝟ y:ɏ z:ƶ'
    .split(' ')
    .map((pair) => pair.split(':'))
    .flatMap(([plain = '', folded = '']) => [...folded].map((letter) => [letter, plain] as const)),
)
const foldable = new RegExp(`[${[...letters.keys()].join('')}]`, 'g')

/**
 * The most characters of a name that are compared. A name has at most 255, but one character may become 18 (U+FDFA), and a step
 * of the catalogue binds 200 names in one value, which D1 limits to 2 MB.
 */
const MOST_COMPARED = 1_024

/**
 * A name as search compares it: without case, accents, strokes, ligatures, width, and characters without width. The change to
 * upper case and back turns both "ß" and "ẞ" into "ss", and a final sigma into a sigma.
 */
export function searchName(name: string): string {
  const lower = plain(name).toLowerCase().toUpperCase().toLowerCase()
  const folded = plain(lower)
    .replace(foldable, (letter) => letters.get(letter) ?? letter)
    .replaceAll('ς', 'σ')
    .normalize('NFC')
  return [...folded].slice(0, MOST_COMPARED).join('')
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(unseen, '')
    .replace(marks, (some) => some.replace(accents, ''))
}
