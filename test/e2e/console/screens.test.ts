import { expect, it } from 'vitest'
import { fill } from '../../../scripts/screenshots/content.ts'
import { leave, scenes, signIn } from '../../../scripts/screenshots/scenes.ts'
import { violationsInBothThemes } from '../browser/violations.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const announcement = {
  id: 'one',
  type: 'studio.maintenance',
  data: { minutes: 30, text: 'We will be back soon. '.repeat(20) },
  created_at: 1_795_257_600,
  expires_at: 1_795_285_800,
}

it('is accessible on every screen and in every dialog, in both themes, and none is wider than a phone', {
  timeout: 600_000, // some sixty scenes, each looked at twice
}, async () => {
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
    const violations = await violationsInBothThemes(page)
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
  for (const [name, show] of Object.entries(scenes)) {
    await show(stage)
    await look(name)
    await leave(stage)
  }
  expect(found).toEqual([])
  // Scenes show refusals too.
  expect(window.faults.filter((fault) => !fault.includes('Failed to load resource'))).toEqual([])
})
