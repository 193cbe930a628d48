import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds of serious or critical impact in a page, or in parts of it, given by their selectors: rule and elements. */
export async function violationsIn(page: Page, parts = ['html']): Promise<string[]> {
  await page.evaluate(axe)
  const run = `axe.run(${JSON.stringify({ include: parts })}, { resultTypes: ['violations'] })`
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}
