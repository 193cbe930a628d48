import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { openScreen } from '../../../scripts/screenshots/scenes.ts'
import { Console, newUser } from './console.ts'
import { choose, drag, makeFolder, names, picture, row, text, upload } from './files.ts'

const console_ = await Console.start()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Goes from one place to the next, as a person does who has no mouse, and not for ever. */
async function pressUntilFocused(page: Page, key: string, target: Locator): Promise<void> {
  const isFocused = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 20 && !(await isFocused()); presses += 1) await page.keyboard.press(key)
  expect(await isFocused()).toBe(true)
}

it('makes folders, uploads, sorts, filters, renames in place, previews and downloads', async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  await makeFolder(pane, 'Maps')
  await upload(pane, [text('a.txt', 'four towers'), picture])
  expect(await names(pane)).toEqual(['Maps', 'a.txt', 'dot.png'])
  await pane.getByRole('meter', { name: 'Storage used' }).getByText('81 bytes of 5 GiB').waitFor()

  await pane.getByRole('button', { name: 'Sort by Size' }).click()
  await expect.poll(() => names(pane)).toEqual(['Maps', 'dot.png', 'a.txt'])
  await pane.getByRole('button', { name: 'Size, descending' }).click()
  await expect.poll(() => names(pane)).toEqual(['Maps', 'a.txt', 'dot.png'])
  await pane.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Folders' }).click()
  await expect.poll(() => names(pane)).toEqual(['Maps'])
  await pane.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'All types' }).click()

  await choose(pane, 'a.txt', 'Rename')
  await page.getByRole('textbox', { name: 'New name of a.txt' }).fill('towers.txt')
  await page.keyboard.press('Enter')
  await row(pane, 'towers.txt').click()
  await page.getByRole('dialog').getByText('four towers').waitFor()
  await page.keyboard.press('Escape')
  await row(pane, 'dot.png').click()
  const shown = page.getByRole('img', { name: 'dot.png' })
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  await page.keyboard.press('Escape')

  const download = page.waitForEvent('download')
  await choose(pane, 'dot.png', 'Download')
  expect((await download).suggestedFilename()).toBe('dot.png')
  await choose(pane, 'Maps', 'Make public')
  await row(pane, 'Maps').getByText('public', { exact: true }).waitFor()
  expect(window.faults).toEqual([])
})

it('lists what is made while a folder, or the assets, are read for the first time', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  /** Lets the service answer the first request for a list, and holds the answer up. */
  async function held(list: string) {
    const [isRead, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hold = async (route: Route) => {
      const response = await route.fetch()
      isRead.resolve()
      await isReleased.promise
      await route.fulfill({ response }).catch(() => {}) // the page may have given it up
    }
    await page.route(list, hold, { times: 1 })
    return { isRead: isRead.promise, release: isReleased.resolve }
  }
  async function make(button: string, name: string, submit: string) {
    await pane.getByRole('button', { name: button }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('button', { name: submit, exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const [files, assets] = [await held('**/v1/files?*'), await held('**/v1/game/assets?*')]
  const pane = await window.signIn()
  await files.isRead
  await make('New folder', 'Maps', 'Create the folder')
  files.release()
  await row(pane, 'Maps').waitFor()
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await assets.isRead
  await make('New asset', 'Castle', 'Create')
  assets.release()
  await pane.getByRole('row', { name: 'Castle' }).waitFor()
  expect(window.faults).toEqual([])
})

it('takes dropped files, and folders with all in them; moves by mouse, keyboard and in a window', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await mkdir(join(folder, 'world/inner'), { recursive: true })
  for (const path of ['note.txt', 'other.txt', 'third.txt', 'world/one.txt', 'world/inner/two.txt'])
    await writeFile(join(folder, path), path)
  await pane.getByText('Nothing here yet').waitFor()
  const grid = pane.getByRole('grid', { name: 'Items in Files' })
  await window.drop(
    grid,
    ['note.txt', 'other.txt', 'third.txt', 'world'].map((name) => join(folder, name)),
  )
  await page.getByText('Uploaded 5 files.').waitFor()
  await row(pane, 'world').click()
  await row(pane, 'one.txt').waitFor()
  await row(pane, 'inner').click()
  await row(pane, 'two.txt').waitFor()
  await pane.getByRole('navigation', { name: 'Folders above' }).getByText('Files').click()

  await drag(row(pane, 'note.txt'), row(pane, 'world'))
  await page.getByText('Moved note.txt to world.').waitFor()
  await pane.getByRole('button', { name: 'Move other.txt' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Drop on world' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Moved other.txt to world.').waitFor()
  await choose(pane, 'third.txt', 'Move to')
  await page.getByRole('option', { name: 'world' }).click()
  await page.getByRole('button', { name: 'Move to world' }).click()
  await page.getByText('Moved third.txt to world.').waitFor()
  await row(pane, 'world').click()
  await expect.poll(() => names(pane)).toEqual(['inner', 'note.txt', 'one.txt', 'other.txt', 'third.txt'])
  expect(window.faults).toEqual([])
})

it('moves items by drag onto a folder above, with the keyboard too, and uploads files that are dropped there', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  const above = pane.getByRole('navigation', { name: 'Folders above' })
  await makeFolder(pane, 'world')
  await row(pane, 'world').click()
  await pane.getByText('Nothing here yet').waitFor()
  await makeFolder(pane, 'inner')
  await row(pane, 'inner').click()
  await pane.getByText('Nothing here yet').waitFor()
  await upload(pane, [text('by mouse.txt', 'a'), text('by keyboard.txt', 'b')])

  await drag(row(pane, 'by mouse.txt'), above.getByText('world'))
  await page.getByText('Moved by mouse.txt to world.').waitFor()
  await pane.getByRole('button', { name: 'Move by keyboard.txt' }).focus()
  await page.keyboard.press('Enter')
  const root = above.getByRole('link', { name: 'Files' })
  await pressUntilFocused(page, 'Tab', root)
  expect(await window.violations()).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('Moved by keyboard.txt to Files.').waitFor()
  await pane.getByText('Nothing here yet').waitFor()

  await writeFile(join(folder, 'from outside.txt'), 'c')
  await window.drop(above.getByText('world'), [join(folder, 'from outside.txt')])
  await page.getByText('Uploaded 1 file.').waitFor()
  await above.getByRole('link', { name: 'world' }).click()
  await expect.poll(() => names(pane)).toEqual(['inner', 'by mouse.txt', 'from outside.txt'])
  await root.click()
  await expect.poll(() => names(pane)).toEqual(['world', 'by keyboard.txt'])
  expect(window.faults).toEqual([])
})

it('takes moves and new names back, several moves at once, and nothing that was changed since', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const user_id = newUser()
  const pane = await window.signIn({ user_id })
  await makeFolder(pane, 'Maps')
  await upload(pane, [text('a.txt', 'a'), text('b.txt', 'b'), text('c.txt', 'c')])
  for (const name of ['a.txt', 'b.txt']) await row(pane, name).locator('.checkbox').click()
  const moveTogether = async () => {
    await pane.getByText('2 items selected').waitFor()
    await pane.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByRole('option', { name: 'Maps' }).click()
    await page.getByRole('button', { name: 'Move to Maps' }).click()
    await page.getByText('Moved 2 items to Maps.').waitFor()
    expect(await names(pane)).toEqual(['Maps', 'c.txt'])
  }
  const rename = async (name: string) => {
    await choose(pane, 'c.txt', 'Rename')
    await page.getByRole('textbox', { name: 'New name of c.txt' }).fill(name)
    await page.keyboard.press('Enter')
    await page.getByText(`Renamed c.txt to ${name}.`).waitFor()
  }
  await moveTogether()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Moved 2 items back.').waitFor()
  expect(await names(pane)).toEqual(['Maps', 'a.txt', 'b.txt', 'c.txt'])

  await moveTogether()
  await rename('d.txt')
  await page.keyboard.press('ControlOrMeta+z')
  await page.getByText('c.txt has its name again.').waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await page.getByText('Moved 2 items back.').waitFor()
  expect(await names(pane)).toEqual(['Maps', 'a.txt', 'b.txt', 'c.txt'])

  // Another device changes something else, and then the same.
  const client = createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })
  const { files } = await client.files.list().page()
  const id = files.find(({ name }) => name === 'c.txt')?.id ?? ''
  await rename('e.txt')
  await client.files.edit({ id, is_public: true })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(pane, 'c.txt').getByText('public').waitFor()
  await rename('f.txt')
  await client.files.edit({ id, name: 'by another device.txt' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('f.txt was changed since, and stays as it is.').waitFor()
  await row(pane, 'by another device.txt').waitFor()
  const { file } = await client.files.get({ id })
  expect(file).toMatchObject({ name: 'by another device.txt', is_public: true })
  expect(window.faults).toEqual([])
})

it('deletes one item with a key that is held, and takes nothing back behind a dialog', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await upload(pane, [text('a.txt', 'a'), text('b.txt', 'b'), text('c.txt', 'c')])
  await row(pane, 'a.txt').focus()
  await page.keyboard.down('Delete')
  await row(pane, 'a.txt').waitFor({ state: 'detached' })
  await row(pane, 'b.txt').focus()
  await page.keyboard.down('Delete') // the same press
  await page.keyboard.up('Delete')
  await choose(pane, 'c.txt', 'Move to')
  await page.getByRole('dialog').getByRole('button', { name: 'It is here already' }).waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await row(pane, 'c.txt').focus()
  await page.keyboard.press('Delete')
  await page.getByText('Moved c.txt to the trash.').waitFor()
  expect(await names(pane)).toEqual(['b.txt'])
  expect(window.faults).toEqual([])
})

it('selects all from one to another by a press with Shift, on check boxes and on rows', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const pane = await window.signIn()
  await upload(
    pane,
    ['a', 'b', 'c', 'd', 'e'].map((name) => text(`${name}.txt`, name)),
  )
  const press = (name: string, ...modifiers: 'Shift'[]) =>
    row(pane, `${name}.txt`).locator('.checkbox').click({ modifiers })
  const selected = async () => {
    const rows = pane.getByRole('grid', { name: 'Items in Files' }).getByRole('row', { selected: true })
    return (await rows.evaluateAll((all) => all.map((one) => one.ariaLabel?.at(0)))).join('')
  }
  await press('b')
  await press('d', 'Shift')
  await expect.poll(selected).toBe('bcd')
  await press('e')
  await press('c', 'Shift')
  await expect.poll(selected, { message: 'what is selected already is taken off' }).toBe('b')
  await row(pane, 'd.txt').click()
  await row(pane, 'a.txt').click({ modifiers: ['Shift'] })
  await expect.poll(selected).toBe('abcd')
  expect(window.faults).toEqual([])
})

it('downloads the files that are selected, with one request for all their URLs', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await makeFolder(pane, 'world')
  await upload(pane, [text('a.txt', 'a'), text('b.txt', 'b')])
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/v1\/files\/.*url/.test(request.url())) asked.push(new URL(request.url()).pathname)
  })
  const saved: string[] = []
  page.on('download', (download) => saved.push(download.suggestedFilename()))
  for (const name of ['a.txt', 'b.txt', 'world']) await row(pane, name).locator('.checkbox').click()
  await pane.getByText('3 items selected').waitFor()
  const download = pane.getByRole('button', { name: 'Download', exact: true })
  expect(await download.count(), 'a folder has no content').toBe(0)
  await row(pane, 'world').locator('.checkbox').click()
  await download.click()
  await expect.poll(() => saved.toSorted()).toEqual(['a.txt', 'b.txt'])
  expect(asked).toEqual(['/v1/files/urls'])
  expect(window.faults).toEqual([])
})

it('deletes what is selected; the trash restores it, deletes one permanently, and is emptied once that is confirmed', async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await upload(
    pane,
    ['a', 'b', 'c', 'd'].map((name) => text(`${name}.txt`, name)),
  )
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await row(pane, name).locator('.checkbox').click()
  await pane.getByText('3 items selected').waitFor()
  await pane.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => names(pane)).toEqual(['d.txt'])

  await pane.getByRole('tab', { name: 'Trash' }).click()
  await pane.getByRole('button', { name: 'Restore a.txt' }).click()
  await page.getByText('Restored a.txt').waitFor()
  await pane.getByRole('button', { name: 'Delete b.txt permanently' }).click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await pane.getByRole('listitem').filter({ hasText: 'b.txt' }).waitFor({ state: 'detached' })
  await pane.getByRole('button', { name: 'Empty the trash' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the trash' }).click()
  await pane.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await pane.getByRole('tab', { name: 'Files' }).click()
  await expect.poll(() => names(pane)).toEqual(['a.txt', 'd.txt'])
  expect(window.faults).toEqual([])
})

it('shows folders first unless told otherwise, a grid with thumbnails, and the names with a text; keeps the choices', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await upload(pane, [text('a.txt', 'a'), picture])
  await makeFolder(pane, 'Maps')
  expect(await names(pane)).toEqual(['Maps', 'a.txt', 'dot.png'])
  await pane.getByRole('button', { name: 'Order: Name, A to Z' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Folders first' }).click()
  await page.keyboard.press('Escape')
  await expect.poll(() => names(pane)).toEqual(['a.txt', 'dot.png', 'Maps'])
  await pane.getByRole('radio', { name: 'Grid' }).click()
  const thumbnail = row(pane, 'dot.png').locator('img.thumbnail:not(.of-row)')
  await expect.poll(() => thumbnail.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  await pane.getByRole('searchbox', { name: 'Search the loaded names' }).fill('ＤÓT')
  await pane.getByText('1 among the 3 loaded').waitFor()
  expect(await names(pane)).toEqual(['dot.png'])
  await page.reload()
  await row(pane, 'dot.png').locator('img').waitFor()
  expect(await names(pane)).toEqual(['a.txt', 'dot.png', 'Maps'])
  expect(window.faults).toEqual([])
})

it('shows the details of an item, also by a link to one of another folder, and its actions by the right mouse button and by keyboard', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await upload(pane, [text('a.txt', 'four towers')])
  await makeFolder(pane, 'Maps')
  await row(pane, 'a.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Make public' }).click()
  await row(pane, 'a.txt').getByText('public').waitFor()
  await row(pane, 'a.txt').focus()
  await page.keyboard.press('Shift+F10')
  const entry = page.getByRole('menuitem', { name: 'Details' })
  await pressUntilFocused(page, 'ArrowDown', entry)
  await page.keyboard.press('Enter')
  const details = pane.getByRole('region', { name: 'Details of a.txt' })
  await details.getByText('11 bytes').waitFor()
  await details.getByText('Nobody else has access.').waitFor()
  await details.getByRole('heading', { name: 'Public' }).waitFor()
  const [, id] = /selected=([\w-]+)/.exec(page.url()) ?? []
  await row(pane, 'Maps').click()
  await pane.getByText('Nothing here yet').waitFor()
  await page.goto(`${page.url()}?selected=${id}`)
  await details.getByRole('link', { name: 'Show it in its folder' }).click()
  await row(pane, 'a.txt').waitFor()
  await details.getByRole('button', { name: 'Close the details' }).click()
  await details.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('selected')
  expect(window.faults).toEqual([])
})

it('sorts by Modified what is loaded, says so, and loads the rest', { tags: 'release' }, async () => {
  const window = await console_.open()
  const { page } = window
  const file = (name: string, updated_at: number) => ({
    ...{ id: name, name, updated_at, owner_id: 'ada', parent_id: null, asset_type: 'file', size_bytes: 1 },
    ...{ mime_type: 'text/plain', processing_state: 'ready', is_public: false, created_at: 1_795_257_600 },
  })
  const pages = {
    first: { files: [file('b', 1_795_257_601), file('c', 1_795_257_603)], next_cursor: 'second' },
    second: { files: [file('a', 1_795_257_602)], next_cursor: null },
    folders: { files: [], next_cursor: null },
  }
  await page.route('**/v1/files?*sort=created_at*', (route) => {
    const query = new URL(route.request().url()).searchParams
    const which = query.has('asset_type') ? 'folders' : query.has('cursor') ? 'second' : 'first'
    return route.fulfill({ json: pages[which] })
  })
  const pane = await window.signIn()
  await upload(pane, [text('other.txt', 'x')])
  await pane.getByRole('button', { name: 'Sort by Modified' }).click()
  await pane.getByText('Sorted among the 2 items that are loaded.').waitFor()
  expect(await names(pane)).toEqual(['c', 'b'])
  await pane.getByRole('button', { name: 'Load the rest' }).click()
  await expect.poll(() => names(pane)).toEqual(['c', 'a', 'b'])
  expect(await pane.getByText('Sorted among').count()).toBe(0)
  expect(window.faults).toEqual([])
})

it('fits a phone, each screen of files: one row of tools, and details in place of the list, which no tab opens again', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ width: 375, theme: 'dark' })
  const { page } = window
  const pane = await window.signIn()
  const name = 'a long name of a file that does not fit into a line of a phone.txt'
  await upload(pane, [text(name, 'x')])
  const tools = ['Upload', 'More to add', 'Order, type and layout'].map((label) =>
    pane.getByRole('button', { name: label, exact: true }),
  )
  const tops = await Promise.all(
    [...tools, pane.getByRole('searchbox')].map(async (tool) => (await tool.boundingBox())?.y),
  )
  expect(new Set(tops).size).toBe(1)
  const before = await row(pane, name).boundingBox()
  await row(pane, name).getByRole('checkbox').locator('xpath=ancestor::label').click()
  const bar = pane.getByRole('toolbar', { name: 'Selected items' })
  await bar.waitFor()
  expect(await row(pane, name).boundingBox()).toEqual(before)
  await bar.getByRole('button', { name: 'Clear' }).click()
  const details = pane.getByRole('region', { name: `Details of ${name}` })
  await choose(pane, name, 'Details')
  await details.getByText('Nobody else has access.').waitFor()
  expect(await row(pane, name).isVisible()).toBe(false)
  await page.keyboard.press('Escape')
  await expect.poll(() => row(pane, name).evaluate((one) => one === document.activeElement)).toBe(true)
  await choose(pane, name, 'Details')
  await details.waitFor()
  for (const [tab, title] of [
    ['Files', 'Upload'],
    ['Shared with me', 'Nothing is shared'],
    ['Trash', 'The trash is empty'],
  ] as const) {
    await openScreen(pane, tab)
    await pane.getByText(title).first().waitFor()
    expect(await window.isWiderThanWindow()).toBe(false)
    expect(await window.violations()).toEqual([])
  }
  await openScreen(pane, 'Files')
  await row(pane, name).waitFor()
  expect(await details.count()).toBe(0)
})
