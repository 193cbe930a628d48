import { itemsIn, storedValue, textIn } from '../../json.ts'

/** A text for statements that a moderator uses again. */
export interface Template {
  name: string
  text: string
}

const KEY = 'console statement templates'

/** The templates that this browser keeps, by name. */
export function readTemplates(): readonly Template[] {
  return itemsIn({ all: storedValue(localStorage.getItem(KEY)) }, 'all')
    .map((one) => ({ name: textIn(one, 'name'), text: textIn(one, 'text') }))
    .filter(({ name, text }) => name !== '' && text !== '')
}

/** Keeps templates in this browser, in the order of their names. Returns them. */
export function keepTemplates(templates: readonly Template[]): readonly Template[] {
  const sorted = templates.toSorted((one, other) => one.name.localeCompare(other.name))
  localStorage.setItem(KEY, JSON.stringify(sorted))
  return sorted
}
