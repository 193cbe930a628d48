import { createHash, randomBytes } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { PART_BYTES } from '../browser/shared-server.ts'
import { Tunnel } from '../proofs/tunnel.ts'
import { Console, newUser } from './console.ts'
import { choose as act, names, row, text, upload } from './files.ts'

const MIB = 2 ** 20
/** How large the content is, which is sent in parts: CONSOLE_UPLOAD_MIB=300 for the whole proof. */
const size = Number(process.env.CONSOLE_UPLOAD_MIB ?? 11) * MIB

const console_ = await Console.start()
let tunnel: Tunnel
let folder: string
let path: string

beforeAll(async () => {
  tunnel = await Tunnel.to(console_.origin)
  folder = await mkdtemp(join(tmpdir(), 'console-'))
  path = join(folder, 'world.bin')
  await writeFile(path, randomBytes(size))
})
afterAll(async () => {
  await tunnel?.close()
  await rm(folder, { recursive: true, force: true })
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function choose(pane: Locator, button: string, file: string): Promise<void> {
  const chooser = pane.page().waitForEvent('filechooser')
  await pane.getByRole('button', { name: button, exact: true }).click()
  await (await chooser).setFiles(file)
}

it('goes on with an upload whose network was cut and whose page was loaded again, to the same bytes', {
  timeout: 30_000 + (size / MIB) * 2_000,
}, async () => {
  const window = await console_.open({ origin: tunnel.origin })
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  const cut = tunnel.reach({ traffic: 'bucket', direction: 'up', bytes: size / 2 })
  await choose(pane, 'Upload', path)
  await cut
  tunnel.cut()
  await pane.getByRole('button', { name: 'Pause world.bin' }).click()
  await pane.getByText('paused').waitFor()
  await page.reload()
  await pane.getByText('choose the same file again to go on').waitFor()
  const other = join(folder, 'other.bin')
  await writeFile(other, 'another content')
  await choose(pane, 'Choose the file', other)
  await pane.getByText('other.bin has another size than world.bin').waitFor()
  const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
  expect(kept).toContain('world.bin')
  expect(kept).not.toContain('eyJ')

  await choose(pane, 'Choose the file', path)
  await page.getByText('Uploaded 1 file.').waitFor({ timeout: 30_000 + (size / MIB) * 1_000 })
  expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("uploads"))')).toEqual(
    [],
  )
  const download = page.waitForEvent('download')
  await pane.getByRole('button', { name: 'Actions for world.bin' }).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  const saved = await readFile(await (await download).path())
  expect(sha256(saved)).toBe(sha256(await readFile(path)))
  expect(window.faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
})

it('goes on with the upload of an asset that was cut and whose page was loaded again, to the same bytes', {
  tags: 'release',
  timeout: 30_000 + (size / MIB) * 2_000,
}, async () => {
  const window = await console_.open({ origin: tunnel.origin })
  const { page } = window
  const pane = await window.signIn()
  const dialog = page.getByRole('dialog')
  await pane.getByRole('tab', { name: 'Assets' }).click()
  await pane.getByRole('button', { name: 'New asset' }).click()
  await choose(dialog, 'Choose a file', path)
  await dialog.getByLabel('Name').fill('Castle')
  const cut = tunnel.reach({ traffic: 'bucket', direction: 'up', bytes: size / 2 })
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await cut
  tunnel.cut()
  await pane.getByRole('button', { name: 'Pause Castle' }).click()
  await pane.getByText('paused').waitFor()
  await page.reload()
  await pane.getByText('choose world.bin again to go on').waitFor()
  const other = join(folder, 'world.bin.old')
  await writeFile(other, randomBytes(size))
  await choose(pane, 'Choose the file', other)
  await pane.getByText('world.bin.old is not world.bin as it was').waitFor()
  await choose(pane, 'Choose the file', path)
  await page.getByText('Castle has its version 1.').waitFor({ timeout: 30_000 + (size / MIB) * 1_000 })
  await pane.getByRole('grid', { name: 'Your assets' }).getByRole('row', { name: 'Castle' }).click()
  const download = page.waitForEvent('download')
  await pane.getByRole('button', { name: 'Download version 1' }).click()
  expect(sha256(await readFile(await (await download).path()))).toBe(sha256(await readFile(path)))
  expect(window.faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
})

it('pauses and resumes while another screen is shown, and cancels without a rest', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ origin: tunnel.origin })
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  const held = tunnel.holdAt({ traffic: 'bucket', direction: 'up', bytes: MIB })
  await choose(pane, 'Upload', path)
  await held
  await pane.getByRole('tab', { name: 'Trash' }).click()
  await pane.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await pane.getByRole('button', { name: 'Pause world.bin' }).click()
  await pane.getByText('paused').waitFor()
  expect(await window.violations()).toEqual([])
  tunnel.release()
  await pane.getByRole('button', { name: 'Resume world.bin' }).click()
  await page.getByText('Uploaded 1 file.').waitFor({ timeout: 30_000 + (size / MIB) * 1_000 })

  const again = tunnel.holdAt({ traffic: 'bucket', direction: 'up', bytes: MIB })
  await pane.getByRole('tab', { name: 'Files' }).click()
  await pane.getByRole('row', { name: 'world.bin' }).waitFor()
  await choose(pane, 'Upload', path)
  await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click()
  await again
  await pane.getByRole('button', { name: 'Cancel world (2).bin' }).click()
  await pane.getByRole('complementary', { name: 'Uploads' }).waitFor({ state: 'detached' })
  tunnel.release()
  await expect.poll(() => pane.getByRole('grid', { name: 'Items in Files' }).getByRole('row').count()).toBe(1)
  expect(window.faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
})

it('says that a file has changed on the device while it was sent, and offers no repetition', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ origin: tunnel.origin })
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  const changing = join(folder, 'changing.bin')
  await writeFile(changing, randomBytes(17 * MIB))
  const held = tunnel.holdAt({ traffic: 'bucket', direction: 'up', bytes: MIB })
  await choose(pane, 'Upload', changing)
  await held
  await appendFile(changing, 'more')
  tunnel.release()
  await pane.getByText('has changed, or can’t be read any more').waitFor()
  expect(await pane.getByRole('button', { name: 'Try changing.bin again' }).count()).toBe(0)
  expect(await window.violations()).toEqual([])
  await pane.getByRole('button', { name: 'Cancel changing.bin' }).click()
  await pane.getByText('Nothing here yet').waitFor()
  expect(window.faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
})

it('uploads a small file in one request, and leaves nothing of one that was cancelled meanwhile', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ origin: tunnel.origin })
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  const sent: string[] = []
  page.on('request', (request) => {
    if (['POST', 'PUT'].includes(request.method())) sent.push(new URL(request.url()).pathname)
  })
  const path = join(folder, 'slot.bin')
  await writeFile(path, randomBytes(MIB))
  await choose(pane, 'Upload', path)
  await page.getByText('Uploaded 1 file.').waitFor()
  await pane.getByRole('row', { name: 'slot.bin' }).waitFor()
  expect(sent).toEqual(['/v1/files/content'])

  const rows = () => pane.getByRole('grid', { name: 'Items in Files' }).getByRole('row').count()
  const cancelled = Promise.withResolvers<void>()
  await page.route('**/v1/files/content?*', async (route) => {
    const response = await route.fetch()
    await cancelled.promise
    await route.fulfill({ response })
  })
  const arrived = page.waitForRequest('**/v1/files/content?*')
  await choose(pane, 'Upload', path)
  await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click()
  await arrived
  await pane.getByRole('button', { name: 'Cancel slot (2).bin' }).click()
  await pane.getByRole('complementary', { name: 'Uploads' }).waitFor({ state: 'detached' })
  const purged = page.waitForResponse((response) => response.url().includes('/v1/trash/'))
  cancelled.resolve()
  expect((await purged).status()).toBe(204)
  await page.reload()
  await pane.getByRole('row', { name: 'slot.bin' }).waitFor()
  expect(await rows()).toBe(1)
  expect(window.faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
})

it('uploads with the headers that the browser’s own cache adds, and downloads the same bytes', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  const path = join(folder, 'small.bin')
  const content = randomBytes(MIB + 1)
  await writeFile(path, content)
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await choose(pane, 'Upload', path)
  // Only a page whose requests nobody intercepts has it: If-None-Match makes Chromium ask for fresh content.
  expect((await (await sent).allHeaders())['cache-control']).toBe('max-age=0')
  await page.getByText('Uploaded 1 file.').waitFor()
  const download = page.waitForEvent('download')
  await pane.getByRole('button', { name: 'Actions for small.bin' }).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  expect(sha256(await readFile(await (await download).path()))).toBe(sha256(content))
  expect(window.faults).toEqual([])
})

it('asks about names that stand twice: replaces, keeps both and skips, and merges a folder into one of its name', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  const dialog = page.getByRole('dialog')
  const answer = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  const world = join(folder, 'twice/world')
  await mkdir(world, { recursive: true })
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await writeFile(join(world, name), 'four towers')
  await pane.getByText('Nothing here yet').waitFor()
  const grid = pane.getByRole('grid', { name: 'Items in Files' })
  await window.drop(grid, [world])
  await page.getByText('Uploaded 3 files.').waitFor()
  await writeFile(join(world, 'a.txt'), 'five towers, and a moat')
  await writeFile(join(world, 'd.txt'), 'new')
  await window.drop(grid, [world])
  await dialog.getByRole('heading', { name: 'a.txt is here already' }).waitFor()
  await answer('Replace')
  await dialog.getByRole('heading', { name: 'b.txt is here already' }).waitFor()
  await dialog.getByText('Do the same for the other 1').click()
  await answer('Keep both')
  await page.getByText('Uploaded 3 files. Replaced the content of a.txt.').waitFor()
  expect(await names(pane)).toEqual(['world'])
  await row(pane, 'world').click()
  await pane.getByRole('heading', { name: 'world' }).waitFor()
  await expect.poll(() => names(pane)).toEqual(['a.txt', 'b (2).txt', 'b.txt', 'c (2).txt', 'c.txt', 'd.txt'])
  await row(pane, 'a.txt').getByText('23 bytes').waitFor()

  const sent: string[] = []
  page.on('request', (request) => sent.push(request.method()))
  const chooser = page.waitForEvent('filechooser')
  await pane.getByRole('button', { name: 'Upload', exact: true }).click()
  await (await chooser).setFiles([join(world, 'a.txt')])
  await answer('Skip')
  await dialog.waitFor({ state: 'detached' })
  expect(sent.filter((method) => method !== 'GET')).toEqual([])
  expect(window.faults).toEqual([])
})

it('gives a file new content from its menu, and takes the deletion of several back from its notice, by keyboard', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ theme: 'dark' })
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  await upload(pane, [text('a.txt', 'a'), text('b.txt', 'b')])
  const dialog = page.getByRole('dialog', { name: 'Replace the content of a.txt?' })
  await act(pane, 'a.txt', 'Details')
  const ways = {
    Cancel: () => pane.getByRole('button', { name: 'Upload new content' }).click(),
    Replace: () => act(pane, 'a.txt', 'Upload new content'),
  }
  for (const [answer, press] of Object.entries(ways)) {
    const chooser = page.waitForEvent('filechooser')
    await press()
    await (await chooser).setFiles([text('other.txt', 'four towers')])
    await dialog.getByText('The old content is lost').waitFor()
    expect(await window.violations()).toEqual([])
    await row(pane, 'a.txt').getByText('1 byte').waitFor()
    await dialog.getByRole('button', { name: answer }).click()
  }
  await page.getByText('Replaced the content of a.txt.').waitFor()
  await row(pane, 'a.txt').getByText('11 bytes').waitFor()
  for (const name of ['a.txt', 'b.txt']) await row(pane, name).locator('.checkbox').click()
  await pane.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Moved 2 items to the trash.').waitFor()
  for (const key of ['F6', 'Tab', 'Tab']) await page.keyboard.press(key)
  expect(
    await page.getByRole('button', { name: 'Undo' }).evaluate((one) => one === document.activeElement),
  ).toBe(true)
  expect(await window.violations()).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('Restored 2 items.').waitFor()
  await expect.poll(() => names(pane)).toEqual(['a.txt', 'b.txt'])
  expect(window.faults).toEqual([])
})

it('sends after a reload only the parts that the service has not', { tags: 'release' }, async () => {
  const window = await console_.open({ origin: tunnel.origin })
  const { page } = window
  const user_id = newUser()
  const pane = await window.signIn({ user_id })
  await pane.getByText('Nothing here yet').waitFor()
  const sent: number[] = []
  page.on('request', (request) => {
    const part = new URL(request.url()).searchParams.get('partNumber')
    if (part !== null && request.method() === 'PUT') sent.push(Number(part))
  })
  // Two parts are sent at a time: behind the size of two, one of them has arrived.
  const held = tunnel.holdAt({ traffic: 'bucket', direction: 'up', bytes: 2 * PART_BYTES + MIB / 2 })
  await choose(pane, 'Upload', path)
  await held
  const ids = `Object.entries(localStorage).flatMap(([key, kept]) =>
    key.includes('uploads') ? JSON.parse(kept).map(({ upload_id }) => upload_id) : [])`
  const [id = ''] = await page.evaluate<string[]>(ids)
  const client = createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })
  const recorded = async () => {
    const upload = await client.uploads.get({ id })
    const { uploaded = [] } = ('multipart' in upload && upload.multipart) || {}
    return uploaded.map(({ part_number }) => part_number)
  }
  await expect.poll(async () => (await recorded()).length).toBeGreaterThan(0)
  await page.reload()
  await pane.getByText(new RegExp(`again to go on · \\d+ MiB of ${size / MIB} MiB are sent`)).waitFor()
  tunnel.release()
  const before = await recorded()
  sent.length = 0
  await choose(pane, 'Choose the file', path)
  await page.getByText('Uploaded 1 file.').waitFor({ timeout: 30_000 })
  const parts = Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => index + 1)
  expect([...before, ...sent].toSorted((one, other) => one - other)).toEqual(parts)
})
