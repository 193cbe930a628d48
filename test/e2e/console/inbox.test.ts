import { expect, it } from 'vitest'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const scopes = ['notifications:publish']

it('shows what is published on two devices, has a device that was cut off catch up, keeps both alike, and fits a phone', async () => {
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
  await two.getByRole('button', { name: 'Delete', exact: true }).first().click()
  await one.getByText('Friend request from Linus').waitFor({ state: 'detached' })
  await one.getByRole('button', { name: 'Mark all read' }).click()
  for (const device of [one, two]) await device.getByText('0 unread').waitFor()

  await pane.getByRole('button', { name: /Friend request/ }).click()
  await window.page.getByRole('option', { name: 'The game’s own' }).click()
  const publishOwn = async (data: string) => {
    await pane.getByLabel('Data, as a JSON object').fill(data)
    await pane.getByRole('button', { name: 'Publish' }).click()
  }
  await publishOwn('{ "gift_id": ')
  await pane.getByText('This is no JSON').waitFor()
  await publishOwn('{ "gift_id": "<b>sword</b>", "from": { "studio": 1 } }')
  for (const device of [one, two]) await device.getByText('<b>sword</b>', { exact: true }).waitFor()
  await one.getByRole('button', { name: 'Show the data as JSON' }).click()
  await one.getByText('"studio": 1').waitFor()
  await pane.getByText('Not kept').click()
  await publishOwn('{ "gift_id": "shield" }')
  for (const device of [one, two]) await device.getByText('not kept').waitFor()
  await pane.getByRole('button', { name: /Read and unread/ }).click()
  await window.page.getByRole('option', { name: 'Unread', exact: true }).click()
  for (const device of [one, two]) await expect.poll(() => device.getByRole('row').count()).toBe(1)
  await window.page.emulateMedia({ colorScheme: 'dark' })
  await window.page.setViewportSize({ width: 375, height: 800 })
  await expect.poll(() => window.isWiderThanWindow()).toBe(false)
  expect(await window.violations()).toEqual([])
  await window.page.setViewportSize({ width: 1_280, height: 800 })

  const deleteMany = async (name: string) => {
    await one.getByRole('button', { name }).click()
    await window.page.getByRole('dialog').getByRole('button', { name }).click()
  }
  await deleteMany('Delete read')
  await expect.poll(() => two.getByRole('button', { name: 'Delete read' }).isDisabled()).toBe(true)
  await deleteMany('Delete all')
  for (const device of [one, two]) await device.getByText('No notifications').waitFor()
  expect(window.faults).toEqual([])
})

it('tells what one user publishes to another, live, in the other pane, and where a new inbox is made', async () => {
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
  await social.getByLabel('To the user').fill(`${newUser('carol')}\n${bob}`)
  const regions: unknown[] = []
  await window.page.route('**/v1/notifications/batch', async (route) => {
    regions.push(route.request().postDataJSON().region)
    await route.continue()
  })
  await social.getByRole('button', { name: 'Publish to 2' }).click()
  await social.getByText('Published to 2 of 2.').waitFor()
  await social.getByRole('region', { name: 'Outcomes' }).getByRole('row', { name: bob }).waitFor()
  await his.getByText('Friend request from Grace').waitFor()
  await his.getByText('1 unread').waitFor()

  await social.getByRole('button', { name: /Near its first caller/ }).click()
  await window.page.getByRole('option', { name: 'Oceania' }).click()
  await social.getByRole('button', { name: 'Publish to 2' }).click()
  await his.getByText('2 unread').waitFor()
  expect(regions).toEqual([undefined, 'oc'])
  expect(window.faults).toEqual([])
})
