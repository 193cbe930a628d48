import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds of serious or critical impact in a page: rule and elements. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}
