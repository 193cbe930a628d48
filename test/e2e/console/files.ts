/** What a person does on the screen of files. */
import type { Locator } from 'playwright-core'

export interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

export const text = (name: string, content: string): Chosen => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

/** A picture of one pixel. */
export const picture: Chosen = {
  name: 'dot.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}

export async function upload(pane: Locator, files: Chosen[]): Promise<void> {
  const chooser = pane.page().waitForEvent('filechooser')
  await pane.getByRole('button', { name: 'Upload', exact: true }).click()
  await (await chooser).setFiles(files)
  for (const { name } of files) await row(pane, name).waitFor()
  await pane.getByRole('complementary', { name: 'Uploads' }).waitFor({ state: 'detached' })
}

export const row = (pane: Locator, name: string) =>
  pane.getByRole('grid', { name: /^Items in/ }).getByRole('row', { name, exact: true })

export const names = (pane: Locator) =>
  pane
    .getByRole('grid', { name: /^Items in/ })
    .getByRole('row')
    .evaluateAll((rows) => rows.map((one) => one.getAttribute('aria-label')))

export async function choose(pane: Locator, name: string, action: string): Promise<void> {
  await pane.getByRole('button', { name: `Actions for ${name}` }).click()
  await pane.page().getByRole('menuitem', { name: action }).click()
}

export async function makeFolder(pane: Locator, name: string): Promise<void> {
  await pane.getByRole('button', { name: 'New folder' }).click()
  await pane.page().getByRole('textbox', { name: 'Name' }).fill(name)
  await pane.page().keyboard.press('Enter')
  await row(pane, name).waitFor()
}

/** Drags an item by mouse, and lets it go once the target shows that it takes the drop. */
export async function drag(item: Locator, target: Locator): Promise<void> {
  const { mouse } = item.page()
  await item.hover()
  await mouse.down()
  await target.hover()
  // The page follows the pointer, which has to move over the target.
  await target.hover({ position: { x: 4, y: 4 } })
  const takesDrop = 'xpath=ancestor-or-self::*[@data-drop-target]'
  await target.locator(takesDrop).first().waitFor()
  await mouse.up()
  await item.waitFor({ state: 'detached' })
}
