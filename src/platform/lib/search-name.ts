/** Accents of Latin, Greek and Cyrillic letters. The marks of other scripts make another letter. */
const accents = /[\u0300-\u036f]/g

/** What has no width. A joiner before a pictograph stays: what it joins is another picture than its parts. */
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
 * A name as search compares it: without case, accents, strokes, ligatures, width and what has no width. Upper case and back makes
 * both "ß" and "ẞ" "ss"; a final sigma becomes a sigma.
 */
export function searchName(name: string): string {
  const lower = plain(name).toLowerCase().toUpperCase().toLowerCase()
  return plain(lower)
    .replace(foldable, (letter) => letters.get(letter) ?? letter)
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(accents, '').replace(unseen, '')
}
