/** @module-tag release */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fill } from '../../../scripts/screenshots/content.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

/** Whether the focus is on the target, or outside of the page, and why it is not seen; undefined when it is. */
function whereFocusIs(target: Element | null) {
  const { activeElement: active, body } = document
  const isThere =
    target !== null && (target === active || (target.matches('label') && target.contains(active)))
  if (!active || active === body) return { isThere, isOutside: true, lost: 'nothing is focused' }
  const label = active.closest('label')
  const shown = [
    active,
    ...active.querySelectorAll('*'),
    ...(label ? [label, ...label.querySelectorAll('*')] : []),
  ]
  const hasOutline = shown.some((one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
  })
  const isSeen = hasOutline || active.matches('.menu-item[data-focused]')
  const lost = isSeen ? undefined : `the focus is not seen: ${active.outerHTML.slice(0, 150)}`
  return { isThere, isOutside: false, lost }
}

/** A person without a mouse. */
class Keyboard {
  readonly #page: Page
  constructor(page: Page) {
    this.#page = page
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key)
  }

  /** Types into a field that is focused by itself. */
  async typeInto(field: Locator, text: string): Promise<void> {
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
    await this.type(text)
  }

  async type(text: string): Promise<void> {
    await this.press('ControlOrMeta+a')
    await this.#page.keyboard.type(text)
  }

  /** Waits until the focus is somewhere where it is seen. */
  async isSomewhere(after: string): Promise<void> {
    const lost = async () => (await this.#page.evaluate(whereFocusIs, null)).lost
    await expect.poll(lost, { message: after }).toBeUndefined()
  }

  /** Waits until an element has the focus. */
  async isOn(target: Locator): Promise<void> {
    await target.waitFor()
    await expect.poll(() => target.evaluate((element) => element === document.activeElement)).toBe(true)
  }

  /** Goes to an element by one key, and sees the focus at each stop. */
  async to(target: Locator, key = 'Tab'): Promise<void> {
    await target.waitFor()
    const look = () => target.evaluate(whereFocusIs)
    let focus = await look()
    for (let stops = 0; !focus.isThere; stops++) {
      if (stops === 80) throw new Error(`${target} is not reached with ${key}.`)
      await this.press(key)
      focus = await look()
      // Behind the last element, the focus leaves the page once.
      if (focus.isOutside || focus.lost === undefined) continue
      await this.isSomewhere(`after ${key} on the way to ${target}`)
      focus = await look()
    }
  }

  /** Goes to a row of a list: Tab leads into the list, and arrows from row to row. */
  async toRow(row: Locator): Promise<void> {
    await row.waitFor()
    const isOnRow = () =>
      row.evaluate(({ parentElement }) => {
        const { activeElement } = document
        const isRow = activeElement?.matches('[role=row], [role=option]') ?? false
        const list = '[role*=grid], [role=listbox]'
        return isRow && activeElement?.closest(list) === parentElement?.closest(list)
      })
    for (let stops = 0; !(await isOnRow()); stops++) {
      if (stops === 120) throw new Error(`The list of ${row} is not reached.`)
      await this.press('Tab')
    }
    await this.press('Home')
    await this.to(row, 'ArrowDown')
  }

  /** Goes to an element and presses a key there. */
  async use(target: Locator, key = 'Enter', way = 'Tab'): Promise<void> {
    await this.to(target, way)
    await this.press(key)
  }
}

/** A window in which somebody signs in, by keyboard. */
async function signedIn({ scopes = [] as string[], hasContent = false } = {}) {
  const cast = { ada: newUser('ada'), grace: newUser('grace') }
  if (hasContent) await fill(console_.origin, cast)
  const window = await console_.open()
  const { page } = window
  page.setDefaultTimeout(10_000)
  const keys = new Keyboard(page)
  await keys.typeInto(page.getByLabel('User id'), cast.ada)
  for (const scope of scopes) await keys.use(page.locator('label').filter({ hasText: scope }), 'Space')
  await keys.use(page.getByRole('button', { name: 'Sign in' }))
  const pane = page.getByRole('region', { name: `Signed in as ${cast.ada}` })
  const open = async (screen: string) => {
    await keys.to(pane.getByRole('tab', { selected: true }).first())
    await keys.to(pane.getByRole('tab', { name: screen, exact: true }), 'ArrowRight')
  }
  await pane.getByRole('tab', { name: 'Files' }).waitFor()
  await keys.isSomewhere('signing in')
  return { window, page, pane, keys, open, ...cast, dialog: page.getByRole('dialog') }
}

it('makes, renames, selects, moves, shares, deletes and restores files', { timeout: 90_000 }, async () => {
  const { window, page, pane, keys, open, dialog, grace } = await signedIn()
  const row = (name: string) => pane.getByRole('row', { name, exact: true })
  await keys.to(pane.getByRole('tab', { name: 'Files' }))
  await keys.press('End')
  await pane.getByRole('heading', { name: 'Find a player' }).waitFor()
  await keys.press('Home')
  for (const name of ['Maps', 'Old maps', 'Sounds']) {
    await keys.use(pane.getByRole('button', { name: 'New folder' }))
    await keys.typeInto(dialog.getByLabel('Name'), name)
    await keys.press('Enter')
    await row(name).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await keys.isSomewhere(`creating ${name}`)
  }
  const chooser = page.waitForEvent('filechooser')
  await keys.use(pane.getByRole('button', { name: 'Upload', exact: true }), 'Enter', 'Shift+Tab')
  await (await chooser).setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
  await row('a.txt').waitFor()
  await pane.getByRole('complementary', { name: 'Uploads' }).waitFor({ state: 'detached' })

  // The menu of an item.
  await keys.toRow(row('a.txt'))
  await keys.use(pane.getByRole('button', { name: 'Actions for a.txt' }))
  await keys.use(page.getByRole('menuitem', { name: 'Rename' }), 'Enter', 'ArrowDown')
  await keys.typeInto(page.getByRole('textbox', { name: 'New name of a.txt' }), 'b.txt')
  await keys.press('Enter')
  await row('b.txt').waitFor()
  await keys.isSomewhere('renaming')
  await keys.use(pane.getByRole('button', { name: 'Actions for b.txt' }))
  await keys.use(page.getByRole('menuitem', { name: 'Share' }), 'Enter', 'ArrowDown')
  await keys.typeInto(page.getByLabel('With the user'), grace)
  await keys.use(page.getByRole('button', { name: /How long/ }))
  await keys.use(page.getByRole('option', { name: 'For an hour' }), 'Enter', 'ArrowDown')
  await keys.use(dialog.getByRole('button', { name: 'Share', exact: true }))
  await keys.use(dialog.getByRole('button', { name: 'Revoke' }))
  await dialog.getByText('Nobody else has access').waitFor()
  await keys.isSomewhere('revoking the last share')
  await keys.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await keys.isSomewhere('closing the share dialog')

  // Moving, in the window and by drag.
  await keys.use(pane.getByRole('button', { name: 'Actions for b.txt' }))
  await keys.use(page.getByRole('menuitem', { name: 'Move to' }), 'Enter', 'ArrowDown')
  await keys.isOn(dialog.getByRole('option', { name: 'Maps', exact: true }))
  await keys.press('Enter')
  await keys.isOn(dialog.getByRole('button', { name: 'Move to Maps' }))
  await keys.press('Enter')
  await row('b.txt').waitFor({ state: 'detached' })
  await keys.isSomewhere('moving')
  await keys.toRow(row('Old maps'))
  await keys.use(pane.getByRole('button', { name: 'Move Old maps' }))
  await keys.use(page.getByRole('button', { name: 'Drop on Sounds' }))
  await row('Old maps').waitFor({ state: 'detached' })
  await keys.isSomewhere('dragging')

  // Into a folder, where the arrow keys go on, and out again by its path.
  await keys.toRow(row('Maps'))
  await keys.press('Enter')
  await keys.isOn(row('b.txt'))
  await keys.press('F2')
  await keys.typeInto(page.getByRole('textbox', { name: 'New name of b.txt' }), 'c.txt')
  await keys.press('Enter')
  await keys.isOn(row('c.txt'))
  await keys.press('Delete')
  await pane.getByText('Nothing here yet').waitFor()
  await keys.press('ControlOrMeta+z')
  await row('c.txt').waitFor()
  await keys.press('ControlOrMeta+z')
  await keys.to(row('b.txt'), 'ArrowDown')
  await keys.use(pane.getByRole('link', { name: 'Files' }), 'Enter', 'Shift+Tab')
  await row('Sounds').waitFor()
  await keys.isSomewhere('leaving a folder')

  // Both are selected, deleted, and restored.
  await keys.toRow(row('Maps'))
  await keys.press('Space', 'ArrowDown', 'Space')
  await pane.getByText('2 items selected').waitFor()
  await keys.use(pane.getByRole('button', { name: 'Delete', exact: true }), 'Enter', 'Shift+Tab')
  await pane.getByText('Nothing here yet').waitFor()
  await keys.isSomewhere('deleting what is selected')
  await open('Trash')
  await keys.use(pane.getByRole('button', { name: 'Restore Maps' }))
  await pane.getByRole('button', { name: 'Restore Maps' }).waitFor({ state: 'detached' })
  await keys.isSomewhere('restoring')
  await keys.use(pane.getByRole('button', { name: 'Empty the trash' }), 'Enter', 'Shift+Tab')
  await keys.use(dialog.getByRole('button', { name: 'Empty the trash' }))
  await pane.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await keys.isSomewhere('emptying the trash')
  expect(window.faults).toEqual([])
})

it('makes an asset, reads its history, branches it, and finds those of others', {
  timeout: 90_000,
}, async () => {
  const { window, page, pane, keys, open, dialog } = await signedIn({ hasContent: true })
  await open('Assets')
  await keys.use(pane.getByRole('button', { name: 'New asset' }))
  await keys.typeInto(dialog.getByLabel('Name'), 'Bridge')
  await keys.use(dialog.getByRole('button', { name: /Type/ }))
  await keys.use(page.getByRole('option', { name: 'Prop' }), 'Enter', 'ArrowDown')
  await keys.isOn(dialog.getByRole('button', { name: /Type/ })) // the list has closed
  await keys.press('Tab')
  await keys.isOn(dialog.getByRole('button', { name: 'Choose a file' }))
  await keys.use(dialog.locator('label').filter({ hasText: 'Public' }), 'Space')
  await keys.use(dialog.getByRole('button', { name: 'Create' }))
  await dialog.waitFor({ state: 'detached' })
  await keys.isSomewhere('creating an asset')
  await keys.toRow(pane.getByRole('row', { name: 'Bridge' }))
  await keys.toRow(pane.getByRole('row', { name: 'Castle in the rain' }))
  await keys.press('Enter')
  await pane.getByRole('row', { name: 'Version 3' }).waitFor()
  await keys.isSomewhere('opening an asset')

  await keys.to(pane.getByRole('button', { name: 'Unpublish' }))
  await keys.use(pane.getByRole('button', { name: 'Actions for Castle in the rain' }))
  await keys.use(page.getByRole('menuitem', { name: 'Rename' }), 'Enter', 'ArrowDown')
  await dialog.waitFor()
  await keys.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await keys.isSomewhere('closing a dialog')
  await keys.to(pane.getByRole('button', { name: 'Upload a new version' }))
  await keys.use(pane.getByRole('button', { name: 'Actions for version 2' }))
  await keys.use(page.getByRole('menuitem', { name: 'Roll back to version 2' }), 'Enter', 'ArrowDown')
  await keys.use(dialog.getByRole('button', { name: 'Roll back' }))
  await pane.getByRole('row', { name: 'Version 4' }).waitFor()
  await keys.isSomewhere('rolling back')
  const framed = page
    .locator(':is([role=tabpanel], [data-orientation]):not(:focus)')
    .evaluateAll((around) => around.filter((one) => getComputedStyle(one).outlineStyle !== 'none').length)
  expect(await framed, 'a frame around more than has the focus').toBe(0)

  await keys.to(pane.getByRole('tab', { name: 'Versions' }), 'Shift+Tab')
  await keys.to(pane.getByRole('tab', { name: 'Lineage' }), 'ArrowRight')
  await keys.toRow(pane.getByRole('row', { name: 'Castle at night' }))
  await keys.use(pane.getByRole('button', { name: 'Branches of Castle at night' }))
  await pane.getByRole('row', { name: 'Castle at dawn' }).waitFor()
  await keys.press('Shift+Tab')
  await keys.press('Enter')
  await pane.getByRole('heading', { name: 'Castle at night' }).waitFor()
  await keys.isSomewhere('opening a branch')
  await keys.use(pane.getByRole('link', { name: 'Assets' }), 'Enter', 'Shift+Tab')
  await keys.isSomewhere('going back to the list')
  await keys.use(pane.getByRole('button', { name: 'Deleted' }), 'Space')
  await keys.toRow(pane.getByRole('row', { name: 'Old well' }))
  await keys.use(pane.getByRole('button', { name: 'Restore' }))
  await pane.getByText('Nothing is deleted').waitFor()
  await keys.isSomewhere('restoring the last one')

  await open('Discover')
  await keys.to(pane.getByLabel('Search public assets by name'))
  // The list of what is found takes the place of the whole one, and the focus must not be in that by then.
  const found = page.waitForResponse(
    (response) => new URL(response.url()).searchParams.get('q') === 'castle at dawn',
  )
  await keys.type('castle at dawn')
  await (await found).finished()
  await keys.toRow(pane.getByRole('row', { name: 'Castle at dawn' }).first())
  await keys.press('Enter')
  await keys.use(pane.getByRole('button', { name: 'Branch', exact: true }))
  await keys.typeInto(dialog.getByLabel('Name'), 'My dawn')
  await keys.press('Enter')
  await pane.getByRole('heading', { name: 'My dawn' }).waitFor()
  await keys.isSomewhere('branching')
  expect(window.faults).toEqual([])
})

it('writes a save on two devices, chooses between them, restores, deletes and brings back', {
  timeout: 90_000,
}, async () => {
  const { window, pane, keys, open, dialog } = await signedIn()
  const device = (name: string) => pane.getByRole('region', { name, exact: true })
  await open('Saves')
  await keys.use(pane.getByRole('button', { name: 'New save' }))
  await keys.typeInto(dialog.getByLabel('Slot'), 'castle')
  await keys.to(dialog.getByLabel('Content'))
  await keys.type('one')
  await keys.use(dialog.getByRole('button', { name: 'Write', exact: true }))
  await dialog.waitFor({ state: 'detached' })
  await keys.isSomewhere('writing a new slot')
  await keys.toRow(pane.getByRole('row', { name: 'castle' }))
  await keys.press('Enter')
  await device('Phone').getByText('has read revision 1').waitFor()
  await keys.isSomewhere('opening a save')
  await keys.use(pane.getByRole('button', { name: 'Second device' }))
  await device('Desktop').getByText('has read revision 1').waitFor()
  const write = async (name: string, content: string) => {
    await keys.to(device(name).getByLabel('Content'))
    await keys.type(content)
    await keys.use(device(name).getByRole('button', { name: 'Write', exact: true }))
  }
  await write('Phone', 'two')
  await device('Desktop').getByText('the slot is at 2').waitFor()
  await write('Desktop', 'three')
  await keys.to(dialog.getByRole('region', { name: 'Current content' }))
  await keys.to(dialog.getByRole('button', { name: 'Keep both' }))
  await keys.use(dialog.getByRole('button', { name: 'Write mine over it' }), 'Enter', 'Shift+Tab')
  await dialog.waitFor({ state: 'detached' })
  await device('Desktop').getByText('has read revision 3', { exact: true }).waitFor()
  await keys.isSomewhere('choosing')
  await keys.toRow(pane.getByRole('row', { name: 'Revision 1' }))
  await keys.use(pane.getByRole('button', { name: 'Restore revision 1' }))
  await pane.getByRole('row', { name: 'Revision 4' }).getByText('Current').waitFor()
  await keys.isSomewhere('restoring')
  await keys.use(pane.getByRole('button', { name: 'Delete', exact: true }), 'Enter', 'Shift+Tab')
  await keys.use(dialog.getByRole('button', { name: 'Delete', exact: true }))
  await pane.getByText('No saves yet').waitFor()
  await keys.isSomewhere('deleting the last save')
  await keys.use(pane.getByRole('button', { name: 'Deleted' }), 'Space')
  await keys.toRow(pane.getByRole('row', { name: 'castle' }))
  await keys.use(pane.getByRole('button', { name: 'Restore' }))
  await pane.getByText('Nothing is deleted').waitFor()
  await keys.isSomewhere('restoring the last one')
  expect(window.faults.filter((fault) => !fault.includes('412'))).toEqual([])
})

it('reads and publishes notifications, works as an operator, copies requests, opens a second pane', {
  timeout: 90_000,
}, async () => {
  const { window, page, pane, keys, open, dialog, ada, grace } = await signedIn({
    scopes: [
      'notifications:publish',
      'announcements:publish',
      'content:moderate',
      'quota:write',
      'users:erase',
      'job:read',
      'users:read',
    ],
  })
  await keys.use(page.getByRole('button', { name: 'Developer view' }), 'Enter', 'Shift+Tab')
  await open('Inbox')
  await keys.use(pane.getByRole('button', { name: 'Second device' }))
  await keys.use(pane.getByRole('button', { name: 'New notification' }))
  // The user's own id is selected: typing replaces it.
  await keys.isOn(pane.getByLabel('To the users'))
  await page.keyboard.type(ada)
  await keys.use(pane.getByRole('button', { name: /Template/ }))
  await keys.use(page.getByRole('option', { name: 'A friend request' }), 'Enter', 'ArrowDown')
  await keys.use(pane.getByRole('button', { name: 'Publish' }))
  const device = pane.getByRole('region', { name: 'Device 1' })
  const notification = device.getByRole('row', { name: /Friend request/ })
  await notification.waitFor()
  await keys.use(device.getByRole('button', { name: 'Cut off' }), 'Enter', 'Shift+Tab')
  await keys.use(device.getByRole('button', { name: 'Join again' }))
  await device.getByText('connected', { exact: true }).waitFor()
  await keys.toRow(notification)
  await keys.use(device.getByRole('button', { name: 'Mark as read' }))
  await device.getByText('0 unread').waitFor()
  await keys.isSomewhere('marking as read')
  await keys.toRow(notification)
  await keys.use(device.getByRole('button', { name: 'Delete', exact: true }))
  await device.getByText('No notifications').waitFor()
  await keys.isSomewhere('deleting the last notification')
  await keys.use(pane.getByRole('button', { name: 'Publish' }), 'Enter', 'Shift+Tab')
  await notification.waitFor()
  await keys.use(device.getByRole('button', { name: 'Delete all' }), 'Enter', 'Shift+Tab')
  await keys.use(dialog.getByRole('button', { name: 'Delete all' }))
  await device.getByText('No notifications').waitFor()
  await keys.isSomewhere('deleting all notifications')

  const part = async (from: string, to: string) => {
    await keys.to(pane.getByRole('tab', { name: from, exact: true }), 'Shift+Tab')
    await keys.to(pane.getByRole('tab', { name: to, exact: true }), 'ArrowRight')
  }
  await open('Operators')
  await keys.to(pane.getByLabel('User id'))
  await keys.type(grace)
  await keys.press('Enter')
  const quota = pane.getByRole('region', { name: 'Quota' })
  await keys.to(quota.getByLabel('New limit'))
  await keys.type('7')
  await keys.press('Enter')
  await quota.getByText('of 7 GiB').waitFor()
  await keys.use(pane.getByRole('button', { name: 'Erase …' }))
  await keys.typeInto(dialog.getByLabel('to confirm'), grace)
  await keys.use(dialog.getByRole('button', { name: 'Erase', exact: true }))
  await page.getByText(`${grace} is erased.`).waitFor()
  await keys.isSomewhere('erasing')
  await part('Players', 'Blocks')
  for (const name of ['Id', 'Reason']) await keys.to(pane.getByLabel(name, { exact: name === 'Id' }))
  await part('Blocks', 'Announcements')
  for (const name of ['Own type', 'Ends', 'Data']) await keys.to(pane.getByLabel(name))
  await part('Announcements', 'The job')
  await keys.use(pane.getByRole('button', { name: 'Run the job' }))
  await pane.getByRole('list', { name: 'What the job did' }).waitFor()

  const requests = pane.getByRole('listbox', { name: 'Requests of this page' })
  // The client has no call for what only operators ask for, like the latest request.
  const request = requests.getByRole('option').filter({ hasText: '/v1/announcements' }).first()
  await keys.use(pane.getByRole('button', { name: 'Show the requests' }))
  await keys.toRow(request)
  await keys.press('Enter')
  const details = pane.getByRole('region', { name: 'Details of the request' })
  await keys.to(details.getByRole('tab', { name: 'What it did' }))
  for (const name of ['GDScript', 'C#', 'curl', 'Client']) {
    await keys.to(details.getByRole('tab', { name, exact: true }), 'ArrowLeft')
    await keys.to(details.getByRole('button', { name: 'Copy', exact: true }))
    await keys.to(details.getByRole('tab', { name, exact: true }), 'Shift+Tab')
  }
  await keys.press('Escape')
  await details.waitFor({ state: 'detached' })
  await keys.isSomewhere('closing the details of a request')
  await keys.use(pane.getByRole('button', { name: 'Clear the list of requests' }), 'Enter', 'Shift+Tab')
  await pane.getByText('The requests of this page appear here').waitFor()
  await keys.use(pane.getByRole('button', { name: 'Hide the requests' }), 'Enter', 'Shift+Tab')
  await keys.use(page.getByRole('button', { name: 'Theme: system' }), 'Enter', 'Shift+Tab')
  await page.getByRole('button', { name: 'Theme: light' }).waitFor()
  await keys.use(page.getByRole('button', { name: 'Second user' }), 'Enter', 'Shift+Tab')
  await keys.typeInto(page.getByLabel('User id').last(), grace)
  await keys.press('Enter')
  const other = page.getByRole('region', { name: `Signed in as ${grace}` })
  await keys.to(other.getByRole('tab', { name: 'Files' }))
  await keys.use(other.getByRole('button', { name: 'Sign out' }))
  await keys.isSomewhere('signing out')
  await keys.use(page.getByRole('button', { name: 'One user' }), 'Enter', 'Shift+Tab')
  await page.getByRole('region', { name: `Signed in as ${ada}` }).waitFor()
  await keys.isSomewhere('closing the second pane')
  expect(window.faults).toEqual([])
})
