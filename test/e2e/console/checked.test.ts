/** @module-tag release */
import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { CHECKED_TYPE } from '../browser/shared-server.ts'
import { Console, newUser } from './console.ts'
import { row } from './files.ts'

const console_ = await Console.start()

const module = (name: string) => ({ name, mimeType: CHECKED_TYPE, buffer: Buffer.from(name) })

/** Says what the checker says about the content of a user's file. */
async function giveVerdict(user_id: string, name: string, verdict: object): Promise<void> {
  const client = createClient({ baseUrl: console_.origin, token: await developmentToken(user_id) })
  const { files } = await client.files.list().page()
  const upload_id = uploads.get(files.find((file) => file.name === name)?.id ?? '')
  const token = await developmentToken('checker', { scope: 'content:check' })
  const answer = await fetch(`${console_.origin}/v1/uploads/${upload_id}/verdict`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(verdict),
  })
  expect(answer.status).toBe(204)
}

/** The uploads that pages have started, by their files. */
const uploads = new Map<string, string>()

/** Opens the console for a user, and uploads these. Their uploads are noted. */
async function uploading(user_id: string, names: string[]) {
  const window = await console_.open()
  const { page } = window
  page.on('response', async (response) => {
    if (response.status() !== 201 || !response.url().endsWith('/v1/uploads')) return
    const { id, file } = await response.json()
    uploads.set(file.id, id)
  })
  const pane = await window.signIn({ user_id })
  await pane.getByText('Nothing here yet').waitFor()
  const chooser = page.waitForEvent('filechooser')
  await pane.getByRole('button', { name: 'Upload', exact: true }).click()
  await (await chooser).setFiles(names.map(module))
  const panel = pane.getByRole('complementary', { name: 'Uploads' })
  const checked = panel.getByText('being checked before it can be used')
  await expect.poll(() => checked.count()).toBe(names.length)
  return { window, page, pane, panel, checked }
}

it('waits for a verdict also after a reload, and says why content was rejected', async () => {
  const user_id = newUser()
  const { window, page, pane, panel, checked } = await uploading(user_id, ['bad.wasm', 'good.wasm'])
  await page.reload()
  await expect.poll(() => checked.count()).toBe(2)
  await row(pane, 'bad.wasm').getByText('processing').waitFor()
  await giveVerdict(user_id, 'bad.wasm', { verdict: 'failed', reason: 'It has a virus.' })
  await panel.getByText('It has a virus. Start a new upload. (UPLOAD_REJECTED)').waitFor()
  await row(pane, 'bad.wasm').getByText('failed').waitFor()
  await giveVerdict(user_id, 'good.wasm', { verdict: 'ready' })
  await page.getByText('Uploaded 1 file.').waitFor({ timeout: 30_000 })

  await page.reload()
  await row(pane, 'bad.wasm').getByText('failed').waitFor()
  expect(await panel.count()).toBe(0)
  await pane.getByRole('button', { name: 'Actions for bad.wasm' }).click()
  await page.getByRole('menuitem', { name: 'Why it failed' }).click()
  await page.getByRole('dialog').getByText('Its content was rejected: It has a virus.').waitFor()
  expect(await window.violations()).toEqual([])
  expect(window.faults.filter((fault) => fault.startsWith('uncaught'))).toEqual([])
})

it('removes rejected content when its upload is cancelled', async () => {
  const user_id = newUser()
  const { page, pane, panel } = await uploading(user_id, ['bad.wasm'])
  await giveVerdict(user_id, 'bad.wasm', { verdict: 'failed', reason: 'It has a virus.' })
  await panel.getByText('It has a virus.').waitFor()
  await pane.getByRole('button', { name: 'Cancel bad.wasm' }).click()
  await row(pane, 'bad.wasm').waitFor({ state: 'detached' })
  await page.reload()
  await pane.getByText('Nothing here yet').waitFor()
})
