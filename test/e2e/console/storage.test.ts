import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { violationsInBothThemes } from '../browser/violations.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const MIB = 2 ** 20
const HOSTILE = `<img src=x onerror=alert(1)> "ⓞ' ${'long '.repeat(40)}end`

/** A content of this many bytes. */
const content = (bytes: number) => new Blob([new Uint8Array(bytes)])

it('shows what takes the storage, and deletes the largest for good', async () => {
  const window = await console_.open({ width: 375 })
  const user_id = newUser()
  const client = createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })
  const upload = (name: string, bytes: number) => client.files.upload({ content: content(bytes), name })
  const deleted = await upload('deleted.bin', MIB + 2)
  await client.files.delete({ id: deleted.id })
  await upload(HOSTILE, MIB)
  // The breakdown does not say that it is in the trash: the folder that was deleted is further up.
  const top = await client.files.createFolder({ name: 'top' })
  const within = await client.files.createFolder({ name: 'within', parent_id: top.id })
  await client.files.upload({ content: content(MIB + 1), name: 'deep.bin', parent_id: within.id })
  await client.files.delete({ id: top.id })
  const { asset } = await client.assets.upload({
    content: content(2 * MIB),
    name: 'castle',
    asset_type: 'world',
  })
  await client.assets.upload({ content: content(3 * MIB), asset_id: asset.id })
  const pane = await window.signIn({ user_id })
  const dialog = window.page.getByRole('dialog', { name: 'What takes my storage' })
  await pane.getByRole('button', { name: 'What takes my storage' }).click()
  await dialog.getByText('8 MiB of 5 GiB used').waitFor()
  const kinds = dialog.getByRole('list', { name: 'Storage by kind' }).getByRole('listitem')
  expect(await kinds.allInnerTexts()).toEqual(['Worlds\n5 MiB', 'Files\n3 MiB'])
  const largest = dialog.getByRole('list', { name: 'The largest contents' }).getByRole('listitem')
  const shown = async () => (await largest.allInnerTexts()).map((text) => text.split('\n'))
  expect(await shown()).toEqual([
    ['castle', '3 MiB · version 2'],
    ['castle', '2 MiB · version 1'],
    ['deleted.bin', '1 MiB · in the trash'],
    ['deep.bin', '1 MiB'],
    [HOSTILE, '1 MiB'],
  ])
  const cut = largest.last().locator('.cut')
  await cut.hover()
  await expect.poll(() => cut.getAttribute('title')).toBe(HOSTILE)
  expect(await violationsInBothThemes(window.page)).toEqual([])
  expect(await window.isWiderThanWindow()).toBe(false)

  const removes = async (name: string, left: number) => {
    await dialog.getByRole('button', { name: `Delete ${name}`, exact: true }).click()
    await window.page.getByRole('button', { name: 'Delete permanently' }).click()
    await expect.poll(() => largest.count()).toBe(left)
  }
  await removes('version 1 of castle', 4)
  await removes('deleted.bin', 3)
  await removes('deep.bin', 2)
  await removes(HOSTILE, 1)
  await dialog.getByText('3 MiB of 5 GiB used').waitFor()
  await dialog.getByRole('button', { name: 'Delete version 2 of castle' }).click()
  await window.page.getByRole('button', { name: 'Delete permanently' }).click()
  await window.page.getByText('VERSION_IS_CURRENT').waitFor()
  expect((await client.quota.get()).used_bytes).toBe(3 * MIB)
  expect(window.faults.filter((fault) => !/40[49]/.test(fault))).toEqual([])
})
