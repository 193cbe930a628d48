import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const clientOf = (user_id: string) =>
  createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })

interface Uploaded {
  content: string
  /** For content of a version that is there. */
  version?: number
  platform?: string
  min_build?: number
  max_build?: number
}

/** Opens the page of an asset of a new user, which has this content. */
async function opened(uploaded: Uploaded[], size: { width?: number; theme?: 'light' | 'dark' } = {}) {
  const user_id = newUser()
  const client = clientOf(user_id)
  const { id } = await client.assets.create({ name: 'Castle', type: 'world', visibility: 'public' })
  for (const { content, ...rest } of uploaded)
    await client.assets.upload({ content: new Blob([content]), asset_id: id, ...rest })
  const window = await console_.open(size)
  const pane = await window.signIn({ user_id })
  await window.page.goto(`${console_.origin}/console/assets/${id}`)
  await row(pane, 1).waitFor()
  return { window, pane, client, id, dialog: window.page.getByRole('dialog') }
}

const row = (pane: Locator, version: number) => pane.getByRole('row', { name: `Version ${version}` })

const label = (pane: Locator, version: number, channel: string) =>
  row(pane, version).getByRole('button', { name: channel, exact: true })

/** Chooses from the menu of a version. */
async function choose(pane: Locator, version: number, choice: string): Promise<void> {
  await pane.getByRole('button', { name: `Actions for version ${version}` }).click()
  await pane.page().getByRole('menuitem', { name: choice }).click()
}

it('releases a version, drags its label with mouse and keys, and goes back with one press that can be undone', {
  tags: 'release',
}, async () => {
  const { window, pane, client, id } = await opened([
    { content: 'one' },
    { content: 'two' },
    { content: 'three' },
  ])
  const { page } = window
  const isLive = async (version: number) => {
    await label(pane, version, 'live').waitFor()
    const { urls } = await client.assets.getUrls({ items: [{ asset_id: id }] })
    expect(urls).toMatchObject([{ version }])
  }
  await pane.getByText('Everybody gets the newest version. Make a version live to choose.').waitFor()
  await choose(pane, 2, 'Make live')
  await isLive(2)
  await pane.getByText('Those above it are for you, and for testers with a key.').waitFor()

  await label(pane, 2, 'live').hover({ position: { x: 6, y: 6 } })
  await page.mouse.down()
  await row(pane, 3).hover()
  await row(pane, 3).hover({ position: { x: 8, y: 8 } })
  await pane.locator('[data-drop-target]').waitFor()
  expect(await pane.locator('[data-drop-target]').getAttribute('aria-label')).toBe('Version 3')
  await page.mouse.up()
  await isLive(3)

  // What was live before, which need not be the version right below.
  await label(pane, 3, 'live').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => row(pane, 2).evaluate(isFocused)).toBe(true)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await isLive(1)
  await pane.getByRole('button', { name: 'Make version 3 live' }).click()
  await isLive(3)
  await pane.getByRole('button', { name: 'Go back to version 1' }).click()
  await isLive(1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Everybody gets version 3 now.').waitFor()
  await isLive(3)
  expect(window.faults).toEqual([])
})

it('makes a channel for testers, copies its key, and says what a player and a tester would get, and why', async () => {
  const { window, pane, client, id, dialog } = await opened([
    { content: 'one', max_build: 99 },
    { content: 'two', platform: 'windows', min_build: 100, max_build: 140 },
    { content: 'apple', version: 2, platform: 'mac' },
    { content: 'three', min_build: 120 },
  ])
  const { page } = window
  await choose(pane, 2, 'Make live')
  await label(pane, 2, 'live').waitFor()
  await choose(pane, 3, 'New channel here')
  await dialog.getByLabel('Name').fill('beta')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await label(pane, 3, 'beta').waitFor()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await choose(pane, 3, 'Copy the key of beta')
  await page.getByText('The key of beta is copied').waitFor()
  const channel_key: unknown = await page.evaluate('navigator.clipboard.readText()')
  const { channels } = await client.assets.listChannels({ id })
  expect(channels.find(({ channel }) => channel === 'beta')?.key).toBe(channel_key)

  const asks = pane.getByRole('region', { name: 'What would a player get?' })
  const select = async (field: string, option: string) => {
    await asks.getByRole('button', { name: field }).click()
    await page.getByRole('option', { name: option }).click()
  }
  const answers = (text: string) => asks.getByText(text, { exact: true }).waitFor()
  await select('Platform', 'mac')
  await answers('Version 2 for mac, 5 bytes: live is 2.')
  await asks.getByLabel('Build').fill('120')
  await answers('Version 2 for mac, 5 bytes: live is 2, its builds are 100–140.')
  await asks.getByLabel('Build').fill('90')
  await answers(
    'Version 1, 3 bytes: live is 2, its builds are 100–140; below it, version 1 is the highest for build 90; its content is for all platforms.',
  )
  await select('Who', 'With the key of beta')
  await asks.getByLabel('Build').fill('150')
  await answers('Version 3, 5 bytes: beta is 3, its builds are from 120; its content is for all platforms.')
  await select('Who', 'Every player')
  await answers('Nothing for mac: no version up to live (2) is for build 150.')
  await asks.getByLabel('Build').fill('')
  await select('Platform', 'Another one')
  await asks.getByRole('textbox', { name: 'Platform' }).fill('linux')
  await answers('Nothing for linux: version 2 has windows and mac only.')
  expect(await window.violations()).toEqual([])
  expect(window.faults).toEqual([])
})

it('adds content for a platform, edits builds and notes, and uploads a version for one platform', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened([{ content: 'one' }])
  const { page } = window
  const send = async (button: Locator, content: string) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
    await chooser.setFiles({ name: 'castle', mimeType: 'text/plain', buffer: Buffer.from(content) })
  }
  await choose(pane, 1, 'Add content for a platform')
  await dialog.getByLabel('Platform').fill('Windows')
  await send(dialog.getByRole('button', { name: 'Choose a file' }), 'for windows')
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await row(pane, 1).getByRole('button', { name: 'Download version 1 for windows: 11 bytes' }).waitFor()
  await choose(pane, 1, 'Edit builds and notes')
  await dialog.getByLabel('From build').fill('200')
  await dialog.getByLabel('To build').fill('100')
  await dialog.getByLabel('What is new in it').fill('Four towers.')
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await dialog.getByLabel('To build').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row(pane, 1).getByText('from 200').waitFor()
  await row(pane, 1).getByText('Four towers.').waitFor()

  await pane.getByText('Platform and builds').click()
  const form = pane.getByRole('region', { name: 'Next version' })
  await form.getByLabel('Platform').fill('web')
  await form.getByLabel('To build').fill('300')
  await send(form.getByRole('button', { name: 'Upload a new version' }), 'for the web')
  await row(pane, 2).getByText('up to 300').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row(pane, 2).getByRole('button', { name: 'Download version 2 for web' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Castle')
  expect(window.faults).toEqual([])
})

it('takes the platform and the builds of the first version with a new asset, with and without a page', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ width: 375, theme: 'dark' })
  const { page } = window
  const pane = await window.signIn()
  const dialog = page.getByRole('dialog')
  await pane.getByRole('tab', { name: 'Assets' }).click()
  for (const [name, description] of [
    ['Castle', ''],
    ['Harbour', 'A light at sea.'],
  ] as const) {
    await pane.getByRole('button', { name: 'New asset' }).click()
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Description').fill(description)
    // Without content they say nothing.
    expect(await dialog.getByText('Platform and builds').count()).toBe(0)
    const button = dialog.getByRole('button', { name: 'Choose a file' })
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
    await chooser.setFiles({ name: 'world', mimeType: 'text/plain', buffer: Buffer.from('four') })
    await dialog.getByText('Platform and builds').click()
    await dialog.getByLabel('Platform').fill('no platform')
    expect(await dialog.getByRole('button', { name: 'Upload' }).isDisabled()).toBe(true)
    // A wrong one can't be folded away: it says why nothing can be uploaded.
    await dialog.getByText('Platform and builds').click()
    await dialog.locator('.field-error').waitFor()
    await dialog.getByLabel('Platform').fill('Web')
    await dialog.getByLabel('From build').fill('120')
    expect(await window.violations()).toEqual([])
    await dialog.getByRole('button', { name: 'Upload' }).click()
    await pane.getByRole('grid', { name: 'Your assets' }).getByRole('row', { name }).click()
    await row(pane, 1).getByText('from 120').waitFor()
    await row(pane, 1).getByRole('button', { name: 'Download version 1 for web: 4 bytes' }).waitFor()
    await pane.getByRole('link', { name: 'Assets' }).click()
  }
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(window.faults).toEqual([])
})

it('reads the asset again when somebody else has changed it, and keeps their release', {
  tags: 'release',
}, async () => {
  const { window, pane, client, id, dialog } = await opened([{ content: 'one' }, { content: 'two' }])
  await client.assets.setChannel({ id, channel: 'live', version: 1 })
  await pane.getByRole('button', { name: 'Make version 2 live' }).click()
  await window.page.getByText('Castle was changed meanwhile').waitFor()
  await label(pane, 1, 'live').waitFor()
  await choose(pane, 2, 'Edit builds and notes')
  await client.assets.editVersion({ id, version: 2, notes: 'Of another device.' })
  await dialog.getByLabel('What is new in it').fill('Of this one.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Load again' }).click()
  await expect.poll(() => dialog.getByLabel('What is new in it').inputValue()).toBe('Of another device.')
  expect(window.faults.filter((fault) => !fault.includes('412'))).toEqual([])
})

it('says why a version with a channel stays, and deletes channels, variants and versions', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened([
    { content: 'one' },
    { content: 'apple', version: 1, platform: 'mac' },
    { content: 'two' },
  ])
  await choose(pane, 1, 'Make live')
  await label(pane, 1, 'live').waitFor()
  await choose(pane, 1, 'Delete version 1')
  await dialog.getByText('Players or testers get version 1 by live').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await choose(pane, 1, 'Delete the content for mac')
  await dialog.getByRole('button', { name: 'Delete content' }).click()
  await row(pane, 1).getByRole('button', { name: 'for mac' }).waitFor({ state: 'detached' })
  await choose(pane, 1, 'Delete channel live')
  await dialog.getByText('Everybody gets the newest version then, 2').waitFor()
  await dialog.getByRole('button', { name: 'Delete channel' }).click()
  await label(pane, 1, 'live').waitFor({ state: 'detached' })
  await choose(pane, 1, 'Delete version 1')
  await dialog.getByRole('button', { name: 'Delete version' }).click()
  await row(pane, 1).waitFor({ state: 'detached' })
  expect(window.faults).toEqual([])
})

it('is used with the keyboard alone in a narrow, dark window, and shows others what is live alone', {
  tags: 'release',
}, async () => {
  const { window, pane, client, id } = await opened([{ content: 'one' }, { content: 'two', min_build: 7 }], {
    width: 375,
    theme: 'dark',
  })
  const { page } = window
  await pane.getByRole('button', { name: 'Actions for version 1' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Make live' }).waitFor()
  await page.keyboard.press('Enter')
  await label(pane, 1, 'live').waitFor()
  expect(await window.violations()).toEqual([])
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(window.faults).toEqual([])

  const other = await console_.open()
  const theirs = await other.signIn()
  await other.page.goto(`${console_.origin}/console/discover/${id}`)
  await row(theirs, 1).waitFor()
  expect(await row(theirs, 2).count()).toBe(0)
  await client.assets.setChannel({ id, channel: 'live', version: 2 })
  await other.page.reload()
  await row(theirs, 2).waitFor()
})

const isFocused = (element: Element) => element === document.activeElement
