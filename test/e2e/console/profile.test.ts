import { expect, it } from 'vitest'
import { createClient } from '#client'
import { developmentToken } from '../../../scripts/development.ts'
import { Console, newUser } from './console.ts'
import { choose, picture, row } from './files.ts'

const console_ = await Console.start()

it('makes a picture the profile picture, and shows it beside the user’s name from then on', {
  tags: 'release',
}, async () => {
  const user_id = newUser()
  const window = await console_.open()
  const baseUrl = new URL(window.page.url()).origin
  const ada = createClient({ baseUrl, token: () => developmentToken(user_id) })
  const content = new Blob([new Uint8Array(picture.buffer)], { type: picture.mimeType })
  await ada.files.upload({ content, name: 'me.png', asset_type: 'profile_pic' })

  const pane = await window.signIn({ user_id })
  await row(pane, 'me.png').waitFor()
  const avatar = pane.locator('img.avatar')
  expect(await avatar.count()).toBe(0)
  await choose(pane, 'me.png', 'Use as profile picture')
  await expect.poll(() => avatar.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)

  const later = await console_.open()
  const again = (await later.signIn({ user_id })).locator('img.avatar')
  await expect.poll(() => again.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  await choose(pane, 'me.png', 'Delete')
  await avatar.waitFor({ state: 'detached' })
  expect(window.faults).toEqual([])
})
