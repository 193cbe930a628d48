/** Accents that stand on Latin, Greek and Cyrillic letters; the marks of other scripts make another letter. */
const accents = /[\u0300-\u036f]/g

/**
 * A name as search compares it: case and accents forgiven, and nothing else. Through upper case, so that "ß" is
 * "ss"; a final sigma is a sigma.
 */
export function searchName(name: string): string {
  const letters = name.toUpperCase().toLowerCase().normalize('NFD').replace(accents, '')
  return letters.replaceAll('ς', 'σ').normalize('NFC')
}
