/** @module-tag release */
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { wave } from '../../../scripts/screenshots/media.ts'
import { Console, type ConsolePage } from './console.ts'
import { type Chosen, picture, row, text, upload } from './files.ts'

const console_ = await Console.start()

const RATE = 8_000

/** A tenth of a second of silence. */
const sound: Chosen = {
  name: 'step.wav',
  mimeType: 'audio/wav',
  buffer: wave(Buffer.alloc((RATE / 10) * 2), RATE),
}

/** One frame of 8 × 8 pixels, as WebM with VP8. */
const video: Chosen = {
  name: 'jump.webm',
  mimeType: 'video/webm',
  buffer: Buffer.from(
    'GkXfo0AgQoaBAUL3gQFC8oEEQvOBCEKCQAR3ZWJtQoeBAkKFgQIYU4BnQI0VSalmQCgq17FAAw9CQE2AQAZ3aGFtbXlXQUAGd2hhbW15RIlACECPQAAAAAAAFlSua0AxrkAu14EBY8WBAZyBACK1nEADdW5khkAFVl9WUDglhohAA1ZQOIOBAeBABrCBCLqBCB9DtnVAIueBAKNAHIEAAIAwAQCdASoIAAgAAUAmJaQAA3AA/vz0AAA=',
    'base64',
  ),
}

/** Opens the preview of a file, looks at it, and closes it. */
async function preview(
  { page }: ConsolePage,
  pane: Locator,
  name: string,
  look: (dialog: Locator) => Promise<void>,
): Promise<void> {
  await row(pane, name).click()
  const dialog = page.getByRole('dialog', { name })
  await look(dialog)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

it('shows a picture, plays a sound, and shows a video', async () => {
  const window = await console_.open()
  const pane = await window.signIn()
  await upload(pane, [picture, sound, video])

  await preview(window, pane, 'dot.png', async (dialog) => {
    const shown = dialog.getByRole('img', { name: 'dot.png' })
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  })
  await preview(window, pane, 'step.wav', async (dialog) => {
    const played = dialog.locator('audio[controls]')
    await expect.poll(() => played.evaluate((audio: HTMLAudioElement) => audio.duration)).toBe(0.1)
    await played.evaluate((audio: HTMLAudioElement) => audio.play())
    await expect.poll(() => played.evaluate((audio: HTMLAudioElement) => audio.ended)).toBe(true)
  })
  await preview(window, pane, 'jump.webm', async (dialog) => {
    const played = dialog.locator('video[controls]')
    await expect.poll(() => played.evaluate((shown: HTMLVideoElement) => shown.videoWidth)).toBe(8)
    // Its one frame is decoded. There is nothing to play after it.
    await expect
      .poll(() => played.evaluate((shown: HTMLVideoElement) => shown.readyState))
      .toBeGreaterThanOrEqual(2)
    expect(await window.violations()).toEqual([])
  })
  expect(window.faults).toEqual([])
})

it('shows the beginning of a text, a page as its source, and says of other types that they have no preview', async () => {
  const window = await console_.open()
  const pane = await window.signIn()
  await upload(pane, [
    text('towers.txt', 'four towers'),
    { ...text('page.html', '<script>document.title = "taken"</script>'), mimeType: 'text/html' },
    { ...text('level.json', '{ "name": "moat" }'), mimeType: 'application/json' },
    text('long.txt', `${'a'.repeat(64 * 1_024)}b`),
    { ...text('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'), mimeType: 'image/svg+xml' },
  ])
  const textOf = (dialog: Locator, name: string) => dialog.getByRole('region', { name: `Text of ${name}` })
  for (const [name, content] of [
    ['towers.txt', 'four towers'],
    ['page.html', '<script>document.title = "taken"</script>'],
    ['level.json', '{\n  "name": "moat"\n}'],
    ['long.txt', 'a'.repeat(64 * 1_024)],
  ] as const)
    await preview(window, pane, name, async (dialog) => {
      await expect.poll(() => textOf(dialog, name).textContent()).toBe(content)
      expect(await dialog.getByText('The first 64 KiB.').count()).toBe(name === 'long.txt' ? 1 : 0)
    })
  expect(await window.page.title()).toBe('Files · Console')
  await preview(window, pane, 'drawing.svg', async (dialog) => {
    await dialog.getByText('This type has no preview.').waitFor()
  })
  expect(window.faults).toEqual([])
})

it('goes to the next and the previous preview, by arrow keys too, and has an address', async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await upload(pane, [
    text('a.txt', 'four towers'),
    { ...text('b.bin', 'b'), mimeType: 'application/octet-stream' },
    text('c.txt', 'a moat'),
  ])
  await row(pane, 'a.txt').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 of 2').waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog.getByText('a moat').waitFor()
  await page.reload()
  await dialog.getByText('2 of 2').waitFor()
  expect(await dialog.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Previous' }).click()
  await dialog.getByText('four towers').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('preview')
  expect(window.faults).toEqual([])
})
