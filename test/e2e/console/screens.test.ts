import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fill } from '../../../scripts/screenshots/content.ts'
import { leave, scenes, signIn } from '../../../scripts/screenshots/scenes.ts'
import { violationsIn, violationsInBothThemes } from '../browser/violations.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const announcement = {
  id: 'one',
  type: 'studio.maintenance',
  data: { minutes: 30, text: 'We will be back soon. '.repeat(20) },
  created_at: 1_795_257_600,
  expires_at: 1_795_285_800,
}

/** A scene of each screen. The others are its dialogs, menus and states. */
const SCREENS = [
  'files',
  'share',
  'trash',
  'save',
  'asset',
  'discover',
  'inbox',
  'operators',
  'requests-selected',
]

/** What is wrong with how scenes look: what `violationsOf` finds, and what is wider than a phone. */
async function faultsOfLook(
  names: string[],
  violationsOf: (page: Page) => Promise<string[]>,
): Promise<string[]> {
  const cast = { ada: newUser('ada'), grace: newUser('grace') }
  await fill(console_.origin, cast)
  const window = await console_.open()
  const { page } = window
  // A true announcement would reach the inboxes of other tests.
  await page.route('**/v1/announcements?*', (route) =>
    route.fulfill({ json: { announcements: [announcement], next_cursor: null } }),
  )
  const found: string[] = []
  const look = async (name: string) => {
    const violations = await violationsOf(page)
    await page.setViewportSize({ width: 375, height: 760 })
    const isNarrow = expect.poll(() => window.isWiderThanWindow()).toBe(false)
    const fits = await isNarrow.then(
      () => true,
      () => false,
    )
    await page.setViewportSize({ width: 1_280, height: 800 })
    found.push(...violations.map((violation) => `${name}: ${violation}`))
    if (!fits) found.push(`${name} is wider than a phone`)
  }
  await page.getByText('Sign in as anybody').waitFor()
  await look('sign-in')
  const stage = { page, ...cast, pane: await signIn(page, cast.ada) }
  for (const name of names) {
    const show = scenes[name]
    if (!show) throw new Error(`There is no scene ${name}.`)
    await show(stage)
    await look(name)
    await leave(stage)
  }
  // Scenes show refusals too.
  return [...found, ...window.faults.filter((fault) => !fault.includes('Failed to load resource'))]
}

it('is accessible on each screen, and none is wider than a phone', async () => {
  expect(await faultsOfLook(SCREENS, violationsIn)).toEqual([])
})

it('is accessible on every screen and in every dialog, in both themes, and none is wider than a phone', {
  tags: 'release',
  timeout: 600_000, // some sixty scenes, each looked at twice
}, async () => {
  expect(await faultsOfLook(Object.keys(scenes), violationsInBothThemes)).toEqual([])
})
