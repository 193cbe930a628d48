/** Accents that stand on Latin, Greek and Cyrillic letters; the marks of other scripts make another letter. */
const accents = /[\u0300-\u036f]/g

/**
 * A name as search compares it: case and accents forgiven, and nothing else. Through upper case and back, so that
 * both "ß" and "ẞ" are "ss"; a final sigma is a sigma.
 */
export function searchName(name: string): string {
  const letters = withoutAccents(name).toLowerCase().toUpperCase().toLowerCase()
  return withoutAccents(letters).replaceAll('ς', 'σ').normalize('NFC')
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(accents, '')
}
