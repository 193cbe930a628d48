import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { Console, newUser } from './console.ts'
import { choose, row, text, upload } from './files.ts'

const console_ = await Console.start()

it('shows a share to the other user by itself, who opens, downloads and leaves it; the owner sees a mark, and until when, and revokes', async () => {
  const window = await console_.open()
  const { page } = window
  const bob = newUser('bob')
  const hers = await window.signIn()
  await upload(hers, [text('plan.txt', 'a moat')])
  await window.addPane()
  const his = await window.signIn({ user_id: bob })
  await his.getByRole('tab', { name: 'Shared with me' }).click()
  await his.getByText('Nothing is shared with you').waitFor()

  await choose(hers, 'plan.txt', 'Share')
  await page.getByLabel('With the user').fill(bob)
  await page.getByRole('button', { name: /How long/ }).click()
  await page.getByRole('option', { name: 'For a day' }).click()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const access = page.getByRole('region', { name: 'Who has access' })
  await access.getByText('view, until').waitFor()
  await page.keyboard.press('Escape')
  const mark = row(hers, 'plan.txt').getByText('shared', { exact: true })
  await mark.waitFor()

  await his.getByText('plan.txt').waitFor()
  await his.getByRole('button', { name: 'Open plan.txt' }).click()
  await page.getByRole('dialog').getByText('a moat').waitFor()
  expect(await window.violations()).toEqual([])
  await page.keyboard.press('Escape')
  const download = page.waitForEvent('download')
  await his.getByRole('button', { name: 'Download plan.txt' }).click()
  expect((await download).suggestedFilename()).toBe('plan.txt')
  await his.getByRole('button', { name: 'Leave plan.txt' }).click()
  await his.getByText('Nothing is shared with you').waitFor()
  await mark.waitFor({ state: 'detached' })
  await choose(hers, 'plan.txt', 'Share')
  await page.getByText('Nobody else has access.').waitFor()
  await page.getByLabel('With the user').fill(bob)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await access.getByRole('button', { name: `Revoke ${bob}’s share` }).click()
  await page.getByText('Nobody else has access.').waitFor()
  await page.keyboard.press('Escape')
  expect(await mark.count()).toBe(0)
  expect(window.faults).toEqual([])
})

it('marks what is shared after a reload too, and says of a folder what can be done instead of sharing it', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ width: 375 })
  const { page } = window
  const [ada, bob] = [newUser(), newUser('bob')]
  const elsewhere = createClient({ baseUrl: console_.origin, token: () => developmentToken(ada) })
  const { id } = await elsewhere.files.upload({ content: new Blob(['a moat']), name: 'plan.txt' })
  await elsewhere.shares.create({ id, grantee_id: bob, permission: 'view' })
  await elsewhere.files.createFolder({ name: 'Maps' })
  const pane = await window.signIn({ user_id: ada })
  await row(pane, 'plan.txt').getByText('shared', { exact: true }).waitFor()
  await choose(pane, 'plan.txt', 'Details')
  await pane
    .getByRole('region', { name: 'Details of plan.txt' })
    .getByText('shared', { exact: true })
    .waitFor()
  await pane.getByRole('button', { name: 'Close the details' }).click()
  await choose(pane, 'Maps', 'Share')
  const dialog = page.getByRole('dialog', { name: 'Share Maps' })
  await dialog.getByText('A folder can’t be shared').waitFor()
  expect(await window.violations()).toEqual([])
  await dialog.getByRole('button', { name: 'Make public' }).click()
  await row(pane, 'Maps').getByText('public').waitFor()
  // Its notice covers no button of the bar.
  await page.getByRole('alertdialog').filter({ hasText: 'Maps is public' }).waitFor()
  await page.getByRole('button', { name: 'Second user' }).click({ trial: true })
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(window.faults).toEqual([])
})

it('shows a share to the other pane as soon as it is made or revoked, and others when the tab is looked at again', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ isNew: true })
  const { page } = window
  // So nothing is read again after a time.
  await page.addInitScript('globalThis.setInterval = () => 0')
  await page.reload()
  const [ada, bob] = [newUser(), newUser('bob')]
  const hers = await window.signIn({ user_id: ada })
  await upload(hers, [text('plan.txt', 'a moat'), text('map.txt', 'a river')])
  await window.addPane()
  const his = await window.signIn({ user_id: bob })
  await his.getByRole('tab', { name: 'Shared with me' }).click()
  await his.getByText('Nothing is shared with you').waitFor()

  await choose(hers, 'plan.txt', 'Share')
  await page.getByLabel('With the user').fill(bob)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await his.getByText('plan.txt').waitFor()
  await page.getByRole('button', { name: `Revoke ${bob}’s share` }).click()
  await his.getByText('Nothing is shared with you').waitFor()

  const elsewhere = createClient({ baseUrl: console_.origin, token: () => developmentToken(ada) })
  for await (const { id, name } of elsewhere.files.list())
    if (name === 'map.txt') await elsewhere.shares.create({ id, grantee_id: bob, permission: 'view' })
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  await his.getByText('map.txt').waitFor()
  expect(window.faults).toEqual([])
})

it('leaves all that an owner has shared at once, and keeps what others have', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const [ada, eve, bob] = [newUser(), newUser('eve'), newUser('bob')]
  for (const [owner, names] of [
    [ada, ['plan.txt', 'map.txt']],
    [eve, ['song.txt']],
  ] as const) {
    const client = createClient({ baseUrl: console_.origin, token: () => developmentToken(owner) })
    for (const name of names) {
      const file = await client.files.upload({ content: new Blob([name], { type: 'text/plain' }), name })
      await client.shares.create({ id: file.id, grantee_id: bob, permission: 'view' })
    }
  }
  const pane = await window.signIn({ user_id: bob })
  await pane.getByRole('tab', { name: 'Shared with me' }).click()
  const shared = pane.getByRole('list', { name: 'Files shared with me' }).getByRole('listitem')
  await expect.poll(() => shared.count()).toBe(3)
  await pane.getByRole('button', { name: 'More for song.txt' }).click()
  await page.getByRole('menuitem', { name: 'Report song.txt' }).waitFor()
  expect(await page.getByRole('menuitem', { name: /^Leave all/ }).count(), 'it is the only one').toBe(0)
  await page.keyboard.press('Escape')
  await pane.getByRole('button', { name: 'More for plan.txt' }).click()
  await page.getByRole('menuitem', { name: `Leave all from ${ada}` }).click()
  await page.getByText(`You have left everything that ${ada} shared.`).waitFor()
  await expect.poll(() => shared.count()).toBe(1)
  await shared.getByText('song.txt').waitFor()
  expect(await window.violations()).toEqual([])
  expect(window.faults).toEqual([])
})
