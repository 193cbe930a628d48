import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { pngOf } from '../../../scripts/drawing.ts'
import { landscape } from '../../../scripts/screenshots/media.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const clientOf = (user_id: string) =>
  createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })

/** Opens a screen of a new user in a window of its own. */
async function opened(
  screen: 'Assets' | 'Discover',
  size: { width?: number; theme?: 'light' | 'dark' } = {},
) {
  const user_id = newUser()
  const window = await console_.open(size)
  const pane = await window.signIn({ user_id })
  await pane.getByRole('tab', { name: screen }).click()
  return { window, pane, client: clientOf(user_id), dialog: window.page.getByRole('dialog') }
}

/** A tag that no other test has. */
const newTag = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`

it('finds assets by tags that they have or lack and keeps favorites, by keyboard in a narrow, dark window, and shows what others write as text', async () => {
  const [castle, dark] = [newTag('castle'), newTag('dark')]
  const owner = newUser('carol')
  const carol = clientOf(owner)
  const made = { type: 'world', visibility: 'public' } as const
  const markup = '<img src="/nowhere" onerror="alert(1)">'
  await carol.assets.create({ ...made, name: 'Garden' })
  await carol.assets.create({ ...made, name: 'Cellar', tags: [castle, dark] })
  const tower = { ...made, name: `Tower ${markup}`, tags: [castle], description: `${markup}\nfour floors` }
  const { id } = await carol.assets.create(tower)
  await carol.assets.setPreview({ id, content: picture(), mime_type: 'image/png' })

  const { window, pane } = await opened('Discover', { width: 375, theme: 'dark' })
  const press = (key: string) => window.page.keyboard.press(key)
  const cards = pane.getByRole('grid', { name: 'Public assets' }).getByRole('row')
  await pane.getByLabel('Search public assets by name').fill('Tower')
  await pane.getByText('it takes no other order').waitFor()
  expect(await pane.getByRole('button', { name: 'Order' }).isDisabled()).toBe(true)
  await pane.getByRole('button', { name: 'Clear the search' }).click()
  const card = cards.filter({ hasText: tower.name })
  await card.getByRole('button', { name: `Tag ${castle}` }).click()
  await expect.poll(() => cards.count()).toBe(2)
  await cards.filter({ hasText: 'Cellar' }).focus()
  for (const _ of ['favorite', 'actions', 'owner', castle, dark]) await press('Tab')
  await press('Enter')
  await expect.poll(() => cards.count()).toBe(1)
  await pane.getByRole('button', { name: `exclude ${dark}` }).focus()
  await press('Space')
  await card.getByRole('img', { name: /^Preview of Tower/ }).waitFor()
  expect(await cards.count()).toBe(1)
  await pane.getByText(`not ${dark}`).waitFor()

  const isKept = window.page.waitForResponse('**/favorite')
  await card.focus()
  await press('Tab')
  expect(await card.getByRole('button', { name: /^Favorite .*: 0$/ }).evaluate(isFocused)).toBe(true)
  await press('Space')
  await card.getByRole('button', { name: /^Favorite .*: 1$/, pressed: true }).waitFor()
  expect((await isKept).status()).toBe(204)
  await pane.getByRole('button', { name: 'My favorites' }).focus()
  await press('Space')
  await pane.getByRole('grid', { name: 'My favorites' }).getByRole('row').focus()
  await press('Enter')
  await pane.getByRole('heading', { name: tower.name }).waitFor()
  await pane.getByText(tower.description).waitFor()
  expect(await window.page.locator('[src="/nowhere"]').count()).toBe(0)
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(await window.violations()).toEqual([])
  await pane.getByRole('link', { name: owner }).click()
  await pane.getByText(`by ${owner}`).first().waitFor()
  await expect.poll(() => cards.count()).toBe(3)
  expect(window.faults).toEqual([])
})

it('shows what is popular first, read once, the assets of a tag that is typed, those of an owner, and of all again', {
  tags: 'release',
}, async () => {
  const [one, tag] = [newUser('carol'), newTag('of')]
  const made = { type: 'world' as const, visibility: 'public' as const, tags: [tag] }
  await clientOf(one).assets.create({ ...made, name: 'Garden' })
  await clientOf(one).assets.create({ ...made, name: 'Cellar' })
  await clientOf(newUser('dora')).assets.create({ ...made, name: 'Tower' })
  const { window, pane } = await opened('Assets')
  // The service counts favorites within a minute.
  let reads = 0
  await window.page.route(/sort=popular/, async (route) => {
    const response = await route.fetch()
    const page = await response.json()
    const assets = page.assets.map((asset: object) => ({ ...asset, favorites: 3 }))
    await route.fulfill({ response, json: { ...page, assets } })
    reads++
  })
  await pane.getByRole('tab', { name: 'Discover' }).click()
  const popular = pane.getByRole('grid', { name: 'Most popular' })
  await popular.getByRole('row', { name: 'Tower', exact: true }).waitFor()
  const cards = pane.getByRole('grid', { name: 'Public assets' }).getByRole('row')
  expect(await window.violations()).toEqual([])
  await pane.getByRole('textbox', { name: 'Add a tag' }).fill(tag.toUpperCase())
  await pane.getByRole('button', { name: `Filter by ${tag}` }).waitFor()
  await window.page.keyboard.press('Enter')
  await expect.poll(() => cards.count()).toBe(3)
  expect(await popular.count()).toBe(0)
  await cards.filter({ hasText: 'Garden' }).focus()
  for (const key of ['Tab', 'Tab', 'Tab', 'Enter']) await window.page.keyboard.press(key)
  await expect.poll(() => cards.count()).toBe(2)
  expect(await pane.getByRole('grid', { name: 'Public assets' }).locator(':focus').count()).toBe(1)
  expect(new URL(window.page.url()).searchParams.get('owner')).toBe(one)
  expect(await window.violations()).toEqual([])
  await pane.getByRole('button', { name: /^Show the assets of all/ }).click()
  await expect.poll(() => cards.count()).toBe(3)
  await pane.getByRole('button', { name: `Remove the tag ${tag}` }).click()
  await popular.waitFor()
  expect(reads).toBe(1)
  expect(window.faults).toEqual([])
})

it('rates an asset in the forms that make and edit it, shows the rating, and filters by it for oneself and by a token', {
  tags: 'release',
}, async () => {
  const { window, pane, client, dialog } = await opened('Assets')
  const name = newTag('Vampire castle')
  const choose = async (field: string, option: string, where = pane) => {
    await where.getByRole('button', { name: field }).click()
    await window.page.getByRole('option', { name: option }).click()
  }
  await pane.getByRole('button', { name: 'New asset' }).click()
  await dialog.getByLabel('Name').fill(name)
  await choose('Rating', 'For teens', dialog)
  await dialog.getByText('Every signed-in user').click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await pane.getByRole('row', { name }).getByText('For teens').waitFor()
  await pane.getByRole('row', { name }).click()
  await pane.getByRole('button', { name: 'Edit the page' }).click()
  await dialog.getByRole('button', { name: 'Rating' }).click()
  expect(await window.page.getByRole('option').allTextContents()).toEqual([
    'For everyone',
    'For teens',
    'For adults',
  ])
  await window.page.getByRole('option', { name: 'For adults' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await pane.getByText('For adults').first().waitFor()
  expect((await client.assets.list().page()).assets).toMatchObject([{ name, rating: 'mature' }])

  await pane.getByRole('tab', { name: 'Discover' }).click()
  const card = pane.getByRole('grid', { name: 'Public assets' }).getByRole('row', { name })
  await pane.getByLabel('Search public assets by name').fill(name)
  await card.getByText('For adults').waitFor()
  await choose('Rating up to', 'Up to teens')
  await pane.getByText('Nothing found').waitFor()
  expect(new URL(window.page.url()).searchParams.get('rating')).toBe('teen')
  expect(await window.violations()).toEqual([])
  expect(window.faults).toEqual([])

  const child = await console_.open()
  const form = child.page.locator('form').filter({ hasText: 'Sign in as anybody' })
  await form.getByRole('button', { name: 'Sees assets of others' }).click()
  await child.page.getByRole('option', { name: 'Up to teens' }).click()
  const bounded = await child.signIn()
  await bounded.getByRole('tab', { name: 'Discover' }).click()
  await bounded.getByLabel('Search public assets by name').fill(name)
  await bounded.getByText('Nothing found').waitFor()
  await child.page.reload()
  await bounded.getByLabel('Search public assets by name').fill(name)
  await bounded.getByText('Nothing found').waitFor()
  expect(child.faults).toEqual([])
})

it('takes a favorite back that the service refuses, and says why', { tags: 'release' }, async () => {
  const tag = newTag('refused')
  await clientOf(newUser('carol')).assets.create({
    name: 'Well',
    type: 'prop',
    visibility: 'public',
    tags: [tag],
  })
  const { window, pane } = await opened('Discover')
  const refused = {
    code: 'LIMIT_REACHED',
    limit: 'favorites',
    status: 409,
    title: 'x',
    detail: 'Take some back.',
    request_id: 'r',
  }
  await window.page.route('**/favorite', (route) =>
    route.fulfill({ status: 409, contentType: 'application/problem+json', json: refused }),
  )
  await pane.getByRole('button', { name: `Tag ${tag}` }).click()
  await pane.getByRole('button', { name: 'Favorite Well: 0' }).click()
  await window.page.getByText('LIMIT_REACHED').first().waitFor()
  await pane.getByRole('button', { name: 'Favorite Well: 0', pressed: false }).waitFor()
  expect(window.faults.filter((fault) => !fault.includes('409'))).toEqual([])
})

it('edits the page of an asset, and tells when it was changed meanwhile', { tags: 'release' }, async () => {
  const { window, pane, client, dialog } = await opened('Assets')
  const { id } = await client.assets.create({ name: 'Castle', type: 'world' })
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await pane.getByRole('row', { name: 'Castle' }).click()
  await pane.getByRole('button', { name: 'Edit the page' }).click()
  await client.assets.edit({ id, description: 'Three floors.', metadata: { seed: 7 } })
  const tags = dialog.getByLabel('Tags')
  await tags.fill('Castle!')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('“castle!” is no tag').waitFor()
  await tags.fill('castle horror')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('PRECONDITION_FAILED').waitFor()
  await dialog.getByRole('button', { name: 'Load again' }).click()
  await dialog.getByText('Three floors.').waitFor()
  await tags.fill('castle horror')
  await dialog.getByText('Listed').click()
  await dialog.getByText('Every signed-in user').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await pane.getByText('Unlisted').waitFor()
  expect(await client.assets.get({ id })).toMatchObject({
    description: 'Three floors.',
    tags: ['castle', 'horror'],
    metadata: { seed: 7 },
    visibility: 'public',
    listed: false,
  })
  expect(window.faults.filter((fault) => !fault.includes('412'))).toEqual([])
})

it('takes a picture that is dropped as the preview, smaller when it is too large, says which it does not take, and removes it', {
  tags: 'release',
}, async () => {
  const { window, pane, client } = await opened('Assets')
  const { id } = await client.assets.create({ name: 'Castle', type: 'world' })
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await pane.getByRole('row', { name: 'Castle' }).click()
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  const path = join(folder, 'castle.png')
  const place = pane.locator('.preview-drop')
  for (const [content, problem] of [
    [Buffer.from('no picture'), 'This is no picture that can be a preview'],
    [Buffer.alloc(2 ** 20 + 1), 'at most 1 MiB'],
  ] as const) {
    await writeFile(path, content)
    await window.drop(place, [path])
    await pane.getByRole('alert').getByText(problem).waitFor()
  }
  await writeFile(
    path,
    pngOf(() => [40, 90, 60], 1_200, 2_000),
  )
  await window.drop(place, [path])
  const shown = pane.getByRole('img', { name: 'Preview of Castle' })
  await shown.waitFor()
  expect(await pane.getByRole('alert').count()).toBe(0)
  expect(await client.assets.get({ id })).toMatchObject({ preview_width: 768, preview_height: 1_280 })
  const { width = 0, height = 0 } = (await shown.boundingBox()) ?? {}
  expect(width / height).toBeCloseTo(768 / 1_280, 1)
  await pane.getByRole('link', { name: 'Assets' }).click()
  await pane.getByRole('row', { name: 'Castle' }).getByRole('img').click()
  await pane.getByRole('button', { name: 'Remove the preview' }).click()
  await pane.getByRole('button', { name: 'Add a preview' }).waitFor()
  expect(await pane.getByRole('img', { name: 'Preview of Castle' }).count()).toBe(0)
  expect(window.faults.filter((fault) => !/422|413/.test(fault))).toEqual([])
  await rm(folder, { recursive: true })
})

it('uploads a version with notes, deletes an old one, and says why the current one stays', {
  tags: 'release',
}, async () => {
  const { window, pane, client, dialog } = await opened('Assets')
  const content = new Blob(['four towers'])
  await client.assets.upload({ content, asset_type: 'world', name: 'Castle' })
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await pane.getByRole('row', { name: 'Castle' }).click()
  await pane.getByLabel('What is new in the next version').fill('A fifth tower.')
  const [chooser] = await Promise.all([
    window.page.waitForEvent('filechooser'),
    pane.getByRole('button', { name: 'Upload a new version' }).click(),
  ])
  await chooser.setFiles({ name: 'castle', mimeType: 'text/plain', buffer: Buffer.from('five towers') })
  await pane.getByRole('row', { name: 'Version 2' }).getByText('A fifth tower.').waitFor()
  expect(await pane.getByLabel('What is new in the next version').inputValue()).toBe('')
  const deleteVersion = async (version: number) => {
    await pane.getByRole('button', { name: `Actions for version ${version}` }).click()
    await window.page.getByRole('menuitem', { name: `Delete version ${version}` }).click()
  }
  await deleteVersion(2)
  await dialog.getByText('VERSION_IS_CURRENT').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await deleteVersion(1)
  await dialog.getByRole('button', { name: 'Delete version' }).click()
  await pane.getByRole('row', { name: 'Version 1' }).waitFor({ state: 'detached' })
  await pane.getByRole('row', { name: 'Version 2' }).waitFor()
  expect(window.faults).toEqual([])
})

const isFocused = (element: Element) => element === document.activeElement

function picture(): Blob {
  return new Blob([new Uint8Array(landscape(30))])
}
