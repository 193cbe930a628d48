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

/**
 * Drags an item by mouse until it has gone from where it was: `moved` is shown for some seconds only. A list that is drawn anew
 * between the press and the release takes no drop: then a person drags again.
 */
export async function drag(item: Locator, target: Locator, moved: Locator): Promise<void> {
  for (let tries = 0; tries < 4; tries++) {
    const seen = moved.waitFor({ timeout: 8_000 }).catch(() => {})
    const gone = item.waitFor({ state: 'detached', timeout: 8_000 })
    await item.dragTo(target, { timeout: 5_000 }).catch(() => {})
    const isGone = await gone.then(
      () => true,
      () => false,
    )
    if (isGone) return seen
  }
  await item.waitFor({ state: 'detached' })
}
