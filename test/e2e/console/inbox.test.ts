import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console, newUser } from './console.ts'

let console_: Console

beforeAll(async () => {
  console_ = await Console.start()
})
afterAll(() => console_.stop())

const scopes = ['notifications:publish']

it('shows what is published on two devices, has a device that was cut off catch up, and keeps both alike', async () => {
  const window = await console_.open()
  const pane = await window.signIn({ scopes })
  await pane.getByRole('tab', { name: 'Inbox' }).click()
  await pane.getByRole('button', { name: 'Second device' }).click()
  const [one, two] = [
    pane.getByRole('region', { name: 'Device 1' }),
    pane.getByRole('region', { name: 'Device 2' }),
  ]
  for (const device of [one, two]) await device.getByText('connected', { exact: true }).waitFor()
  const publish = async (name: string) => {
    await pane.getByLabel('From, by display name').fill(name)
    await pane.getByRole('button', { name: 'Publish' }).click()
    await one.getByText(`Friend request from ${name}`).waitFor()
  }
  await publish('Grace')
  await two.getByText('Friend request from Grace').waitFor()

  await two.getByRole('button', { name: 'Cut off' }).click()
  await two.getByText('cut off: waiting').waitFor()
  await publish('Linus')
  await one.getByText('seq 2').waitFor()
  expect(await two.getByText('Friend request from Linus').count()).toBe(0)

  await two.getByRole('button', { name: 'Join again' }).click()
  await two.getByText('Friend request from Linus').waitFor()
  await two.getByText('seq 2').waitFor()

  await one.getByRole('button', { name: 'Mark as read' }).first().click()
  for (const device of [one, two]) await device.getByText('1 unread').waitFor()
  await two.getByRole('button', { name: 'Delete' }).first().click()
  await one.getByText('Friend request from Linus').waitFor({ state: 'detached' })
  await one.getByRole('button', { name: 'Mark all read' }).click()
  for (const device of [one, two]) await device.getByText('0 unread').waitFor()
  expect(await window.violations()).toEqual([])
  expect(window.faults).toEqual([])
})

it('tells what one user publishes to another, live, in the other pane', async () => {
  const window = await console_.open()
  const bob = newUser('bob')
  const social = await window.signIn({ scopes })
  await window.addPane()
  const his = await window.signIn({ user_id: bob })
  await his.getByRole('tab', { name: 'Inbox' }).click()
  await his.getByText('connected', { exact: true }).waitFor()
  await his.getByText('No notifications').waitFor()
  await his.getByText('To publish, sign in').waitFor()

  await social.getByRole('tab', { name: 'Inbox' }).click()
  await social.getByLabel('To the user').fill(bob)
  await social.getByRole('button', { name: 'Publish' }).click()
  await his.getByText('Friend request from Grace').waitFor()
  await his.getByText('1 unread').waitFor()
  expect(window.faults).toEqual([])
})

it('fits a phone', async () => {
  const window = await console_.open({ width: 375, theme: 'dark' })
  const pane = await window.signIn({ scopes })
  await pane.getByRole('tab', { name: 'Inbox' }).click()
  await pane.getByText('connected', { exact: true }).waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(await window.violations()).toEqual([])
})
