import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { Console, newUser } from './console.ts'
import { makeFolder, row } from './files.ts'

const console_ = await Console.start()

const shown = (page: Page) => page.url().slice(`${console_.origin}/console/`.length)

it('has an address for a folder, an asset and its tabs, and a search; back and forward go through them', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await makeFolder(pane, 'world')
  await row(pane, 'world').click()
  await expect.poll(() => shown(page)).toMatch(/^files\/[\w-]+$/)
  await expect.poll(() => page.title()).toBe('world · Console')
  const folder = shown(page)
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await expect.poll(() => shown(page)).toBe('assets')
  await expect.poll(() => page.title()).toBe('Assets · Console')
  await pane.getByRole('button', { name: 'New asset' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Castle')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await pane.getByRole('row', { name: 'Castle' }).click()
  await pane.getByRole('tab', { name: 'Lineage' }).click()
  await expect.poll(() => shown(page)).toMatch(/^assets\/[\w-]+\/lineage$/)
  await expect.poll(() => page.title()).toBe('Castle · Console')
  const lineage = shown(page)
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByRole('searchbox').fill('keep & tower')
  await expect.poll(() => shown(page)).toBe('discover?q=keep+%26+tower')

  await page.goBack()
  expect(shown(page)).toBe(lineage)
  await pane.getByRole('tab', { name: 'Lineage', selected: true }).waitFor()
  await page.goBack()
  await page.goBack()
  await pane.getByRole('row', { name: 'Castle' }).waitFor()
  await page.goBack()
  expect(shown(page)).toBe(folder)
  await pane.getByText('Nothing here yet').waitFor()
  // A tab leads back to where its screen was left, and from there to its start.
  await pane.getByRole('tab', { name: 'Trash' }).click()
  await pane.getByRole('tab', { name: 'Files' }).click()
  await expect.poll(() => shown(page)).toBe(folder)
  await pane.getByRole('tab', { name: 'Files' }).click()
  await expect.poll(() => shown(page)).toBe('files')
  expect(window.faults).toEqual([])
})

it('opens a link where it points, after the sign-in too, and in two panes; no other user is shown what it opened', async () => {
  const window = await console_.open()
  const { page } = window
  const ada = newUser()
  await page.goto(
    `${console_.origin}/console/assets/deleted?type=world&second=${encodeURIComponent('discover?sort=popular')}`,
  )
  const pane = await window.signIn({ user_id: ada })
  await pane.getByRole('tab', { name: 'Assets', selected: true }).waitFor()
  await pane.getByRole('button', { name: 'Deleted', pressed: true }).waitFor()
  const other = await window.signIn({ user_id: newUser('grace') })
  await other.getByRole('button', { name: /Order/ }).getByText('Most popular').waitFor()
  await page.reload()
  await other.getByRole('button', { name: /Order/ }).getByText('Most popular').waitFor()
  await pane.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => shown(page)).toMatch(/^assets\?second=/)
  expect(window.faults).toEqual([])
})

it('says so at an address that no screen has, with a way to the files', { tags: 'release' }, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  for (const path of ['nothing', 'trash/deeper', 'static'])
    expect((await fetch(`${console_.origin}/console/${path}`)).headers.get('Content-Type')).toContain('html')
  await page.goto(`${console_.origin}/console/trash/deeper`)
  await pane.getByText('There is no such page').waitFor()
  await expect.poll(() => page.title()).toBe('Not found · Console')
  expect(await window.violations()).toEqual([])
  await pane.getByRole('link', { name: 'Go to the files' }).click()
  await pane.getByRole('tab', { name: 'Files', selected: true }).waitFor()
  expect(window.faults).toEqual([])
})
