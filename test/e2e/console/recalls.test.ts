import { expect, it } from 'vitest'
import { createClient } from '#client'
import { createStudio } from '#client/studio'
import { developmentToken } from '../../../scripts/development.ts'
import { nextSecond } from '../../support/next-second.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

it('recalls saves once that is confirmed, says what a recall comes to for a player, and ends it', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ width: 375 })
  const user_id = newUser()
  const [slot, reason] = [newUser('slot'), newUser('Patch')]
  const options = { baseUrl: console_.origin }
  const player = createClient({ ...options, token: () => developmentToken(user_id) })
  const studio = createStudio({
    ...options,
    token: () => developmentToken('recaller', { scope: 'saves:recall' }),
  })
  await player.saves.write({ slot, bytes: 'before the patch' })
  const from = await newSecond()
  await player.saves.write({ slot, bytes: 'after the patch' })
  const until = await newSecond()
  await studio.recalls.create({ from, until, newer: 'keep', reason, slots: [slot] })

  const pane = await window.signIn({ scopes: ['saves:recall', 'players:read'] })
  await window.page.goto(`${console_.origin}/console/operators/recalls`)
  const item = pane.getByRole('listitem').filter({ hasText: reason })
  await item.getByRole('button', { name: 'Try it for a player' }).click()
  await item.getByLabel('User id').fill(user_id)
  await window.page.keyboard.press('Enter')
  await item.getByText(`${slot} goes back from revision 2 to 1`).waitFor()
  expect(await window.violations()).toEqual([])
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(new TextDecoder().decode((await player.saves.read({ slot })).bytes)).toBe('before the patch')

  const another = newUser('Another')
  await pane.getByLabel('Reason').fill(another)
  await pane.getByLabel('Slots').fill(`${slot}, ${newUser('other')}`)
  await pane.getByRole('button', { name: 'Recall …' }).click()
  await window.page.getByRole('dialog').getByRole('button', { name: 'Recall', exact: true }).click()
  for (const text of [another, reason]) {
    await pane.getByRole('button', { name: `End the recall: ${text}` }).click()
    await window.page.getByRole('button', { name: 'End the recall', exact: true }).click()
    await pane.getByRole('listitem').filter({ hasText: text }).getByText('ended').waitFor()
  }
  expect(window.faults).toEqual([])
})

/** The next second, once it has begun: a recall counts in whole seconds. */
async function newSecond(): Promise<number> {
  await nextSecond()
  return Math.floor(Date.now() / 1_000)
}
