import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds of serious or critical impact in what a page shows now, by these rules or all: rule and elements. */
export async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  // React Aria's announcements refer for seconds to what may be gone by then.
  const run = `axe.run({ exclude: ['[data-live-announcer]'] }, ${JSON.stringify(options)})`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

/** What it finds in both themes. What differs in the dark one is colour. */
export async function violationsInBothThemes(page: Page): Promise<string[]> {
  const light = await violationsIn(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violationsIn(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((violation) => `dark, ${violation}`)]
}
