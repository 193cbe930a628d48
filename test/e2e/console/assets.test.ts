import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '#client'
import { createStudio } from '#client/studio'
import { developmentToken } from '../../../scripts/development.ts'
import { landscape } from '../../../scripts/screenshots/media.ts'
import { Console, type ConsolePage, newUser } from './console.ts'

const console_ = await Console.start()

const moderator = () =>
  createStudio({
    baseUrl: console_.origin,
    token: () => developmentToken('moderator', { scope: 'content:moderate' }),
  })

/** Opens a screen of a user in a window of its own. */
async function opened(
  screen: 'Assets' | 'Discover',
  size: { width?: number; theme?: 'light' | 'dark' } = {},
) {
  const window = await console_.open(size)
  const pane = await window.signIn()
  await pane.getByRole('tab', { name: screen }).click()
  return { window, pane, dialog: window.page.getByRole('dialog') }
}

/** Presses a button that asks for a file, and chooses one. */
async function choose({ page }: ConsolePage, button: Locator, content: string, name = 'castle.world') {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
  await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
}

/** Creates an asset, from a file when there is content, and opens it. */
async function create(window: ConsolePage, pane: Locator, name: string, content?: string): Promise<void> {
  await fillNew(window, pane, name, content)
  await listed(pane, name).click()
}

const listed = (pane: Locator, name: string) =>
  pane.getByRole('grid', { name: 'Your assets' }).getByRole('row', { name, exact: true })

/** Chooses from the menu of the asset that is shown. */
async function act({ page }: ConsolePage, pane: Locator, action: string): Promise<void> {
  await pane.getByRole('button', { name: /^Actions for / }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Fills the form for a new asset in. */
async function fillNew(window: ConsolePage, pane: Locator, name: string, content?: string): Promise<void> {
  const dialog = window.page.getByRole('dialog')
  await pane.getByRole('button', { name: 'New asset' }).click()
  if (content !== undefined)
    await choose(window, dialog.getByRole('button', { name: 'Choose a file' }), content)
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: content === undefined ? 'Create' : 'Upload', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

it('keeps every version of an asset: uploads, rolls back, downloads each', async () => {
  const { window, pane, dialog } = await opened('Assets')
  await pane.getByText('No assets here yet').waitFor()
  await create(window, pane, 'Castle', 'four towers')
  // The versions are read before the asset that they belong to.
  const areRead = Promise.withResolvers<void>()
  await window.page.route(/\/v1\/game\/assets\/[^/?]+$/, async (route) => {
    await areRead.promise
    await route.continue()
  })
  await choose(window, pane.getByRole('button', { name: 'Upload a new version' }), 'five towers')
  await pane.getByRole('row', { name: 'Version 2' }).waitFor()
  areRead.resolve()
  await pane.getByRole('button', { name: 'Actions for version 1' }).click()
  await window.page.getByRole('menuitem', { name: 'Roll back to version 1' }).click()
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await pane.getByRole('row', { name: 'Version 3' }).getByText('Latest').waitFor()
  const texts = ['four towers', 'five towers', 'four towers']
  for (const [index, text] of texts.entries()) {
    const [download] = await Promise.all([
      window.page.waitForEvent('download'),
      pane.getByRole('button', { name: `Download version ${index + 1}` }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toBe(text)
  }
  expect(window.faults).toEqual([])
})

it('shows how far an upload is, and gives up what it reserved when it is cancelled', {
  tags: 'release',
}, async () => {
  const { window, pane } = await opened('Assets')
  await create(window, pane, 'Knight')
  await window.page.route('**/cdn-cgi/local/r2/**', () => {}) // storage does not answer
  await choose(window, pane.getByRole('button', { name: 'Upload the first version' }), 'a sword')
  await pane.getByRole('progressbar', { name: 'Sent of Knight' }).waitFor()
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await pane.getByRole('button', { name: 'Cancel Knight' }).click()
  await window.showDeveloperView(pane)
  await pane.getByRole('option', { name: /^DELETE.*\/v1\/uploads\/.*204/ }).waitFor()
  expect(await pane.getByRole('progressbar').count()).toBe(0)
  expect(window.faults).toEqual([])
})

it('gives up what the service has reserved also when it is cancelled, or paused, before the service has answered', {
  tags: 'release',
}, async () => {
  const { window, pane } = await opened('Assets')
  await create(window, pane, 'Knight')
  const hasBegun = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  await window.page.route('**/v1/uploads', async (route) => {
    const response = await route.fetch()
    hasBegun.resolve()
    await isHeld.promise
    await route.fulfill({ response })
  })
  await choose(window, pane.getByRole('button', { name: 'Upload the first version' }), 'a sword')
  await hasBegun.promise
  await pane.getByRole('button', { name: 'Pause Knight' }).click()
  await pane.getByRole('button', { name: 'Resume Knight' }).click()
  await pane.getByRole('button', { name: 'Cancel Knight' }).click()
  isHeld.resolve()
  await window.showDeveloperView(pane)
  await pane.getByRole('option', { name: /^DELETE.*\/v1\/uploads\/.*204/ }).waitFor()
  expect(await pane.getByRole('option', { name: /^POST \/v1\/uploads / }).count()).toBe(1)
  expect(window.faults).toEqual([])
})

it('shows how much of content in one PUT is sent, pauses it, and takes a file that is dropped on its page as the next version', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened('Assets')
  const { page } = window
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  const path = join(folder, 'castle.world')
  await writeFile(path, randomBytes(4 * 2 ** 20))
  await create(window, pane, 'Castle')
  const session = await page.context().newCDPSession(page)
  const slowTo = (uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await slowTo(2 ** 17)
  await window.drop(pane.getByRole('tab', { name: 'Versions' }), [path])
  const sent = pane.getByRole('progressbar', { name: 'Sent of Castle' })
  const percent = async () => Number(await sent.getAttribute('aria-valuenow'))
  await expect.poll(percent).toSatisfy((value: number) => value > 0 && value < 100)
  await pane.getByRole('button', { name: 'Pause Castle' }).click()
  await pane.getByText(/^paused · [\d.]+ [KM]iB of 4 MiB$/).waitFor()
  await slowTo(-1)
  await pane.getByRole('button', { name: 'Resume Castle' }).click()
  await pane.getByRole('row', { name: 'Version 1' }).waitFor()

  await writeFile(path, 'five towers')
  await window.drop(pane.getByRole('row', { name: 'Version 1' }), [path])
  await pane.getByRole('row', { name: 'Version 2' }).getByText('11 bytes').waitFor()
  await window.drop(pane.getByRole('row', { name: 'Version 2' }), [path, path])
  await page.getByRole('alert').getByText('Drop one file').waitFor()
  expect(await dialog.count()).toBe(0)
  // A PUT that was cut may have arrived: the client asks for its completion first.
  expect(window.faults.filter((fault) => !fault.includes('409'))).toEqual([])
  await rm(folder, { recursive: true })
})

it('asks for another name when that of an upload has been taken meanwhile, and goes on', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened('Assets')
  const hasBegun = window.page.waitForRequest('**/cdn-cgi/local/r2/**')
  const isTaken = Promise.withResolvers<void>()
  await window.page.route('**/cdn-cgi/local/r2/**', async (route) => {
    await isTaken.promise
    await route.continue()
  })
  await fillNew(window, pane, 'Knight', 'a sword')
  await hasBegun
  await fillNew(window, pane, 'Knight')
  await listed(pane, 'Knight').waitFor()
  isTaken.resolve()
  await pane.getByRole('button', { name: 'Choose another name' }).click()
  await dialog.getByLabel('Name').fill('Other knight')
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await listed(pane, 'Other knight').waitFor()
  expect(await pane.getByRole('complementary', { name: 'Uploads' }).count()).toBe(0)
  expect(window.faults.filter((fault) => !fault.includes('409'))).toEqual([])
})

it('says in the dialog why a name is refused, with the code and the request', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened('Assets')
  await create(window, pane, 'Castle')
  await pane.getByRole('link', { name: 'Assets' }).click()
  await pane.getByRole('button', { name: 'New asset' }).click()
  await dialog.getByLabel('Name').fill('Castle')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').getByText('DUPLICATE_ASSET_NAME').waitFor()
  await dialog.getByLabel('Name').fill('Castle 2')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await pane.getByRole('row', { name: 'Castle 2' }).waitFor()
  expect(window.faults.filter((fault) => !fault.includes('409'))).toEqual([])
})

it('restores what is deleted, under another name when its own is taken, or deletes it permanently', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened('Assets')
  for (const name of ['Well', 'Gate']) {
    await create(window, pane, name)
    await act(window, pane, 'Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
  }
  await create(window, pane, 'Well')
  await pane.getByRole('link', { name: 'Assets' }).click()
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('row', { name: 'Well' }).getByRole('button', { name: 'Restore' }).click()
  await dialog.getByLabel('Name').fill('Old well')
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await pane.getByRole('row', { name: 'Well' }).waitFor({ state: 'detached' })
  await pane.getByRole('row', { name: 'Gate' }).getByRole('button', { name: 'Delete permanently' }).click()
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await pane.getByText('Nothing is deleted').waitFor()
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('row', { name: 'Old well' }).waitFor()
  expect(window.faults.filter((fault) => !fault.includes('409'))).toEqual([])
})

it('leads from another user’s public asset to a branch, and draws where that comes from', {
  tags: 'release',
}, async () => {
  const { window, pane: bob, dialog } = await opened('Assets')
  const name = newUser('Castle')
  await create(window, bob, name, 'four towers')
  await bob.getByRole('button', { name: 'Publish' }).click()
  await window.addPane()
  const ada = await window.signIn()
  await ada.getByRole('tab', { name: 'Discover' }).click()
  await ada.getByLabel('Search public assets by name').fill(name.slice(2).toUpperCase())
  await ada.getByRole('row', { name }).click()
  await ada.getByRole('button', { name: 'Branch', exact: true }).click()
  await dialog.getByLabel('Name').fill('My castle')
  await dialog.getByRole('button', { name: 'Branch' }).click()
  await ada.getByRole('heading', { name: 'My castle' }).waitFor()
  await ada.getByRole('tab', { name: 'Lineage' }).click()
  const tree = ada.getByRole('grid', { name: 'Lineage of My castle' })
  await tree.getByRole('row', { name: 'My castle' }).getByText('from version 1').waitFor()

  // To others, a private asset does not exist.
  await tree.getByRole('row', { name, exact: true }).click()
  await ada.getByRole('heading', { name }).waitFor()
  await bob.getByRole('button', { name: 'Unpublish' }).click()
  await ada.getByText('This asset can’t be seen').waitFor()
  expect(window.faults.filter((fault) => !fault.includes('404'))).toEqual([])
})

it('fits a lineage of 20 assets into a phone', { tags: 'release' }, async () => {
  const ada = newUser()
  const client = createClient({ baseUrl: console_.origin, token: () => developmentToken(ada) })
  const first = await client.assets.upload({
    content: new Blob(['four towers']),
    name: 'Castle 1',
    asset_type: 'world',
  })
  let { id } = first.asset
  for (let number = 2; number <= 20; number++)
    ({ id } = (await client.assets.branch({ id, name: `Castle ${number}` })).asset)
  const window = await console_.open({ width: 375 })
  const pane = await window.signIn({ user_id: ada })
  await window.page.goto(`${console_.origin}/console/assets/${id}/lineage`)
  const tree = pane.getByRole('grid', { name: 'Lineage of Castle 20' })
  await tree.getByRole('row', { name: 'Castle 20' }).getByText('from version 1').waitFor()
  expect(await tree.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  const names = await tree
    .locator('.asset-name')
    .evaluateAll((all) => all.map(({ clientWidth }) => clientWidth))
  expect(Math.min(...names)).toBeGreaterThan(50)
  expect(window.faults).toEqual([])
})

it('shows what a user publishes to the other pane at once', { tags: 'release' }, async () => {
  const { window, pane: bob } = await opened('Assets')
  const name = newUser('Castle')
  await create(window, bob, name)
  await window.addPane()
  const ada = await window.signIn()
  await ada.getByRole('tab', { name: 'Discover' }).click()
  await ada.getByLabel('Search public assets by name').fill(name)
  await ada.getByText('Nothing found').waitFor()
  await bob.getByRole('button', { name: 'Publish' }).click()
  await ada.getByRole('row', { name }).waitFor()
  await bob.getByRole('button', { name: 'Unpublish' }).click()
  await ada.getByText('Nothing found').waitFor()
  expect(window.faults).toEqual([])
})

it('tells the owner of an asset that a moderator has blocked it', { tags: 'release' }, async () => {
  const { window, pane } = await opened('Assets')
  await create(window, pane, 'Castle')
  const [created] = await Promise.all([
    window.page.waitForResponse((response) => response.url().includes('/v1/game/assets?')),
    pane.getByRole('link', { name: 'Assets' }).click(),
  ])
  const [asset] = (await created.json()).assets
  await moderator().moderation.blockAsset({ id: asset.id, reason: 'a copied logo' })
  await pane.getByRole('row', { name: 'Castle' }).click()
  await pane.getByText('A moderator has blocked this asset').waitFor()
  await pane.getByRole('link', { name: 'Assets' }).click()
  await pane.getByRole('row', { name: 'Castle' }).getByText('Blocked').waitFor()
  expect(window.faults).toEqual([])
})

it('is used with the keyboard alone in a narrow, dark window', { tags: 'release' }, async () => {
  const { window, pane, dialog } = await opened('Assets', { width: 375, theme: 'dark' })
  const { keyboard } = window.page
  await pane.getByRole('button', { name: 'New asset' }).focus()
  await keyboard.press('Enter')
  await dialog.getByLabel('Name').waitFor()
  const name = 'A lantern that is seen from all of the harbour'
  await keyboard.type(name)
  await keyboard.press('Enter')
  await pane.getByRole('row', { name }).focus()
  await keyboard.press('Enter')
  await pane.getByRole('heading', { name }).waitFor()
  await pane.getByRole('tab', { name: 'Versions' }).focus()
  await keyboard.press('ArrowRight')
  await pane.getByText('No branches that you can see').waitFor()
  expect(await window.violations()).toEqual([])
  await keyboard.press('End')
  const tree = pane.getByRole('grid', { name: `Lineage of ${name}` })
  await tree.getByRole('row', { name }).waitFor()
  expect(await tree.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await keyboard.press('Home')
  await pane.getByRole('tabpanel', { name: 'Versions' }).waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(window.faults).toEqual([])
})

it('takes a picture, a description and tags with a new asset, makes the preview of content that is a picture, and takes a deletion back', {
  tags: 'release',
}, async () => {
  const { window, pane, dialog } = await opened('Assets')
  const { page } = window
  const picture = { name: 'view.png', mimeType: 'image/png', buffer: landscape(30) }
  const choosePicture = async (button: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: button }).click(),
    ])
    await chooser.setFiles(picture)
  }
  await pane.getByRole('button', { name: 'New asset' }).click()
  await dialog.getByLabel('Name').fill('Castle')
  await choosePicture('Choose a picture')
  await dialog.getByLabel('Description').fill('Four towers.')
  await dialog.getByLabel('Tags').fill('Castle rain')
  await dialog.getByRole('img', { name: 'Preview of view.png' }).waitFor()
  expect(await window.violations()).toEqual([])
  // The first list has a signature that has ended; the page reads it again for the picture.
  let isFirst = true
  await page.route('**/v1/game/assets?*', async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    await route.fulfill({ response, body: isFirst ? body.replace(/expires=\d+/, 'expires=1') : body })
    isFirst = false
  })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await listed(pane, 'Castle').getByRole('img', { name: 'Preview of Castle' }).waitFor()
  expect(isFirst).toBe(false)

  await pane.getByRole('button', { name: 'New asset' }).click()
  await choosePicture('Choose a file')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText('view has its version 1, and a preview made of it.').waitFor()
  await listed(pane, 'view').getByRole('img', { name: 'Preview of view' }).waitFor()
  await listed(pane, 'Castle').click()
  await pane.getByText('Four towers.').waitFor()
  for (const tag of ['castle', 'rain']) await pane.getByText(tag, { exact: true }).waitFor()
  await act(window, pane, 'Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await listed(pane, 'Castle').waitFor()
  expect(window.faults.filter((fault) => !fault.includes('404'))).toEqual([])
})
