import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { openScreen } from '../../../scripts/screenshots/scenes.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

/** The console at the saves of a new player, and a client of theirs, as a game has one. */
async function opened(size: { width?: number; theme?: 'light' | 'dark' } = {}) {
  const window = await console_.open(size)
  const user_id = newUser()
  const pane = await window.signIn({ user_id })
  await openScreen(pane, 'Saves')
  const { saves } = createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })
  return { window, page: window.page, pane, dialog: window.page.getByRole('dialog'), saves }
}

const bytes = (text: string) => new TextEncoder().encode(text)
const on = (pane: Locator, device: string) => pane.getByRole('region', { name: device, exact: true })
const revision = (pane: Locator, number: number) => pane.getByRole('row', { name: `Revision ${number}` })

async function open(pane: Locator, slot: string): Promise<void> {
  await pane.getByRole('row', { name: slot, exact: true }).click()
  await on(pane, 'Phone').getByText('has read revision').waitFor()
}

async function write(device: Locator, content: string): Promise<void> {
  await device.getByLabel('Content').fill(content)
  await device.getByRole('button', { name: 'Write', exact: true }).click()
}

it('writes a new slot and revisions of it, and downloads and restores an older one', async () => {
  const { window, page, pane, dialog, saves } = await opened()
  await pane.getByRole('heading', { name: 'No saves yet' }).waitFor()
  await pane.getByRole('button', { name: 'New save' }).click()
  await dialog.getByLabel('Content').fill('{"coins":1}')
  await dialog.getByRole('button', { name: 'Write', exact: true }).click()
  const row = pane.getByRole('row', { name: 'auto', exact: true })
  await row.getByText('The old mill · Phone · 2 h 5 min played · 11 bytes').waitFor()
  await pane.getByText('11 bytes of 8 MiB used').waitFor()
  await open(pane, 'auto')
  await write(on(pane, 'Phone'), '{"coins":2}')
  await revision(pane, 2).getByText('Current').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    pane.getByRole('button', { name: 'Download revision 1 of auto' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('auto-1.json')
  expect(await readFile(await download.path(), 'utf8')).toBe('{"coins":1}')
  // A restore replaces only what the page shows.
  await saves.write({ slot: 'auto', bytes: bytes('{"coins":9}') }, { overwrite: true })
  await pane.getByRole('button', { name: 'Restore revision 1' }).click()
  await page.getByText('PRECONDITION_FAILED').last().waitFor()
  await revision(pane, 3).getByText('Current').waitFor()
  await page.getByRole('button', { name: 'Close the notice' }).click()
  await pane.getByRole('button', { name: 'Restore revision 1' }).click()
  await revision(pane, 4).getByText('Current').waitFor()
  await revision(pane, 1).click()
  await dialog.getByText('"coins": 1').waitFor()
  const { revision: restored, ...read } = await saves.read({ slot: 'auto' })
  expect(restored).toBe(4)
  expect(read.bytes).toEqual(bytes('{"coins":1}'))
  expect(read).toMatchObject({ mime_type: 'application/json', device: 'Phone', played_seconds: 7_500 })
  expect(window.faults.filter((fault) => !fault.includes('412'))).toEqual([])
})

describe('a device that has not read what another wrote', () => {
  /** A slot that the phone has written after the desktop has read it, and what the desktop wrote then. */
  async function conflicting(mine: string) {
    const stage = await opened()
    const { pane, dialog, saves } = stage
    await saves.write({ slot: 'auto', bytes: bytes('{"coins":1}'), mime_type: 'application/json' })
    await pane.getByRole('button', { name: 'Deleted' }).click()
    await pane.getByRole('button', { name: 'Deleted' }).click()
    await open(pane, 'auto')
    await pane.getByRole('button', { name: 'Second device' }).click()
    const [phone, desktop] = [on(pane, 'Phone'), on(pane, 'Desktop')]
    await desktop.getByText('has read revision 1').waitFor()
    await write(phone, '{"coins":2}')
    await desktop.getByText('has read revision 1, the slot is at 2').waitFor()
    await desktop.getByLabel('Label').fill('Upstairs')
    await write(desktop, mine)
    await dialog.getByRole('region', { name: 'Current content' }).waitFor()
    const stored = async () => new TextDecoder().decode((await saves.read({ slot: 'auto' })).bytes)
    return { ...stage, phone, desktop, stored }
  }

  it('shows both side by side, and writes nothing until one is chosen; then mine over the current one', async () => {
    const { window, page, pane, dialog, desktop, stored } = await conflicting('{"coins":3}')
    const mine = dialog.getByRole('region', { name: 'Mine, on Desktop' })
    const current = dialog.getByRole('region', { name: 'Current, revision 2' })
    for (const text of ['Desktop', 'Upstairs', '11 bytes', '"coins": 3'])
      await mine.getByText(text).first().waitFor()
    for (const text of ['Phone', '11 bytes', '"coins": 2']) await current.getByText(text).first().waitFor()
    expect(await mine.locator('mark').allInnerTexts()).toEqual(['"coins": 3'])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toBe('{"coins":2}')
    await desktop.getByText('has read revision 1, the slot is at 2').waitFor()
    await desktop.getByRole('button', { name: 'Write', exact: true }).click()
    await dialog.getByRole('button', { name: 'Write mine over it' }).click()
    await revision(pane, 3).getByText('Current').waitFor()
    await revision(pane, 2).waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toBe('{"coins":3}')
    await on(pane, 'Phone').getByText('has read revision 2, the slot is at 3').waitFor()
    expect(window.faults.filter((fault) => !fault.includes('412'))).toEqual([])
  })

  it('goes on from the current one when that is kept', { tags: 'release' }, async () => {
    const { pane, dialog, desktop, stored } = await conflicting('{"coins":3}')
    await dialog.getByRole('button', { name: 'Keep the current one' }).click()
    await desktop.getByText('has read revision 2', { exact: true }).waitFor()
    expect(await desktop.getByLabel('Content').inputValue()).toBe('{"coins":2}')
    expect(await stored()).toBe('{"coins":2}')
    expect(await pane.getByRole('row', { name: /^Revision/ }).count()).toBe(2)
    await write(desktop, '{"coins":4}')
    await revision(pane, 3).getByText('Current').waitFor()
    expect(await dialog.count()).toBe(0)
  })

  it('keeps both: the current one stays, and mine is a revision that can be restored', {
    tags: 'release',
  }, async () => {
    const { pane, dialog, stored } = await conflicting('{"coins":3}')
    await dialog.getByRole('button', { name: 'Keep both' }).click()
    await revision(pane, 3).getByText('Kept').waitFor()
    await revision(pane, 2).getByText('Current').waitFor()
    expect(await stored()).toBe('{"coins":2}')
    await pane.getByRole('button', { name: 'Restore revision 3' }).click()
    await revision(pane, 4).getByText('Current').waitFor()
    await revision(pane, 3).getByText('Kept').waitFor()
    expect(await stored()).toBe('{"coins":3}')
  })

  it('asks again when the slot was written once more before the choice', { tags: 'release' }, async () => {
    const { dialog, saves, stored } = await conflicting('{"coins":3}')
    await saves.write({ slot: 'auto', bytes: bytes('{"coins":9}'), device: 'Console' }, { overwrite: true })
    await dialog.getByRole('button', { name: 'Write mine over it' }).click()
    const current = dialog.getByRole('region', { name: 'Current, revision 3' })
    await current.getByText('"coins": 9').waitFor()
    expect(await stored()).toBe('{"coins":9}')
    await dialog.getByRole('button', { name: 'Write mine over it' }).click()
    await expect.poll(stored).toBe('{"coins":3}')
  })

  it('is told when the save was deleted instead, and writes it anew', { tags: 'release' }, async () => {
    const { page, pane, dialog, desktop, saves, stored } = await conflicting('{"coins":3}')
    await page.keyboard.press('Escape')
    await saves.delete({ slot: 'auto' }, { overwrite: true })
    await desktop.getByRole('button', { name: 'Write', exact: true }).click()
    await dialog.getByText('the save was deleted').waitFor()
    expect(await dialog.getByRole('button', { name: /Keep/ }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Write mine' }).click()
    await revision(pane, 3).getByText('Current').waitFor()
    expect(await stored()).toBe('{"coins":3}')
  })
})

it('takes a file as a save, refuses a slot that has one, deletes a slot and restores it', {
  tags: 'release',
}, async () => {
  const { window, page, pane, dialog, saves } = await opened()
  await saves.write({ slot: 'auto', bytes: bytes('first') })
  await pane.getByRole('button', { name: 'New save' }).click()
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: 'Choose a file' }).click(),
  ])
  const world = { name: 'world.sav', mimeType: 'application/x-world', buffer: Buffer.from([0, 1, 2, 255]) }
  await chooser.setFiles(world)
  await dialog.getByText('4 bytes of application/x-world, not shown as a text').waitFor()
  await dialog.getByRole('button', { name: 'Write', exact: true }).click()
  await dialog.getByText('There is a save in the slot auto').waitFor()
  await dialog.getByLabel('Slot').fill('a/b')
  await dialog.getByRole('button', { name: 'Write', exact: true }).click()
  await dialog.getByText('VALIDATION_FAILED').waitFor()
  await dialog.getByLabel('Slot').fill('world')
  await dialog.getByRole('button', { name: 'Write', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const read = await saves.read({ slot: 'world' })
  expect(read.mime_type).toBe('application/x-world')
  expect([...read.bytes]).toEqual([0, 1, 2, 255])

  await open(pane, 'world')
  // A deletion deletes only what the page shows.
  await saves.write({ slot: 'world', bytes: new Uint8Array([3]) }, { overwrite: true })
  await pane.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('PRECONDITION_FAILED').waitFor()
  expect([...(await saves.read({ slot: 'world' })).bytes]).toEqual([3])
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await pane.getByRole('row', { name: 'auto', exact: true }).waitFor()
  await pane.getByRole('row', { name: 'world', exact: true }).waitFor({ state: 'detached' })
  await expect(saves.read({ slot: 'world' })).rejects.toMatchObject({ code: 'SAVE_NOT_FOUND' })
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('row', { name: 'world', exact: true }).getByRole('button', { name: 'Restore' }).click()
  await pane.getByRole('heading', { name: 'Nothing is deleted' }).waitFor()
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('row', { name: 'world', exact: true }).waitFor()
  expect([...(await saves.read({ slot: 'world' })).bytes]).toEqual([3])
  expect(window.faults.filter((fault) => !/4(00|12)/.test(fault))).toEqual([])
})

it('says so when saves can’t be read, and reads them again', { tags: 'release' }, async () => {
  const { page, pane, saves } = await opened()
  await saves.write({ slot: 'auto', bytes: bytes('first') })
  const refused = { code: 'FORBIDDEN', status: 403, title: 'No', detail: 'Not today.', request_id: 'r' }
  const list = '**/v1/saves?deleted=true'
  await page.route(list, (route) => route.fulfill({ status: 403, json: refused }))
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('alert').getByText('Not today.').waitFor()
  await page.unroute(list)
  await pane.getByRole('button', { name: 'Try again' }).click()
  await pane.getByRole('heading', { name: 'Nothing is deleted' }).waitFor()
})

it('copies a write and a read as client code, and a write as curl', { tags: 'release' }, async () => {
  const { window, page, pane, saves } = await opened()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await saves.write({
    slot: 'auto',
    bytes: bytes('{"coins":1}'),
    mime_type: 'application/json',
    label: 'The café',
  })
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await open(pane, 'auto')
  await write(on(pane, 'Phone'), '{"coins":2}')
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  const copyAs = async (name: string) => {
    await pane.getByRole('tab', { name, exact: true }).click()
    await pane.getByRole('button', { name: 'Copy', exact: true }).click()
  }
  await window.showDeveloperView(pane)
  await pane.getByRole('option', { name: /^PUT .* 200/ }).click()
  await copyAs('Client')
  await expect
    .poll(copied)
    .toBe(
      [
        'await client.saves.write({',
        '  slot: "auto",',
        '  bytes,',
        '  device: "Phone",',
        '  label: "The café",',
        '  mime_type: "application/json",',
        '})',
      ].join('\n'),
    )
  await copyAs('curl')
  await expect.poll(copied).toContain(`-d '{"coins":2}'`)
  await pane.getByRole('option', { name: /^GET \/v1\/saves\/auto 200/ }).click()
  await copyAs('Client')
  await expect.poll(copied).toBe('await client.saves.read({ slot: "auto" })')
})

it('fits a phone with two devices', { tags: 'release' }, async () => {
  const { window, pane, saves } = await opened({ width: 375, theme: 'dark' })
  await saves.write({
    slot: 'a-slot-with-a-name-that-is-as-long-as-names-of-slots-can-be-in64',
    bytes: bytes('1'),
    label: 'x'.repeat(255),
    device: 'y'.repeat(64),
  })
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('button', { name: 'Deleted' }).click()
  await pane.getByRole('row', { name: /^a-slot/ }).click()
  await pane.getByRole('button', { name: 'Second device' }).click()
  await on(pane, 'Desktop').getByText('has read revision 1').waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(await window.violations()).toEqual([])
})
