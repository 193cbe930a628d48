import { expect, it } from 'vitest'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const scopes = ['notifications:publish']

it('shows what is published on two devices, has a device that was cut off catch up, keeps both alike, and fits a phone', async () => {
  const window = await console_.open()
  const pane = await window.signIn({ scopes })
  await window.showDeveloperView()
  await pane.getByRole('tab', { name: 'Inbox' }).click()
  await pane.getByRole('button', { name: 'Second device' }).click()
  const [one, two] = [
    pane.getByRole('region', { name: 'Device 1' }),
    pane.getByRole('region', { name: 'Device 2' }),
  ]
  for (const device of [one, two]) await device.getByText('connected', { exact: true }).waitFor()
  const template = async (chosen: string) => {
    await pane.getByRole('button', { name: /Template/ }).click()
    await window.page.getByRole('option', { name: chosen }).click()
  }
  await pane.getByRole('button', { name: 'New notification' }).click()
  await template('A friend request')
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

  const regions: unknown[] = []
  await window.page.route('**/v1/notifications', async (route) => {
    if (route.request().method() === 'POST') regions.push(route.request().postDataJSON().region)
    await route.continue()
  })
  await template('An own type, as JSON')
  const publishOwn = async (data: string) => {
    await pane.getByLabel('Data, as a JSON object').fill(data)
    await pane.getByRole('button', { name: 'Publish' }).click()
  }
  await publishOwn('{ "gift_id": ')
  await pane.getByText('This is no JSON').waitFor()
  await publishOwn('{ "item": "<b>sword</b>", "from": { "studio": 1 } }')
  for (const device of [one, two]) await device.getByText('Gift: <b>sword</b>').waitFor()
  await one.getByRole('button', { name: 'Show the details' }).first().click()
  await one.getByText('"studio": 1').waitFor()
  await pane.getByRole('button', { name: /How long/ }).click()
  await window.page.getByRole('option', { name: 'Not kept' }).click()
  await pane.getByRole('button', { name: /Near its first caller/ }).click()
  await window.page.getByRole('option', { name: 'Oceania' }).click()
  await publishOwn('{ "gift_id": "shield" }')
  for (const device of [one, two]) await device.getByText('not kept').waitFor()
  expect(regions).toEqual([undefined, 'oc'])
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

  // A device that is cut off joins by itself when its button goes.
  await one.getByRole('button', { name: 'Cut off' }).click()
  await window.page.getByRole('button', { name: 'Developer view' }).click()
  await window.showDeveloperView()
  await one.getByText('connected', { exact: true }).waitFor()
  expect(window.faults).toEqual([])
})

it('tells a user who looks at their files that a gift has arrived, what it is, and with a scope lets them send one', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const sockets: string[] = []
  page.on('websocket', (socket) => sockets.push(new URL(socket.url()).pathname))
  const bob = newUser('bob')
  const social = await window.signIn()
  await window.addPane()
  const his = await window.signIn({ user_id: bob })
  await social.getByRole('tab', { name: 'Inbox' }).click()
  await social.getByText('No notifications').waitFor()
  await social.getByRole('button', { name: 'New notification' }).click()
  await social.getByRole('button', { name: 'Get a token with it' }).click()
  await social.getByLabel('To the user').fill(`${newUser('carol')}\n${bob}`)
  await social.getByRole('button', { name: /Template/ }).click()
  await page.getByRole('option', { name: 'A gift' }).click()
  const publish = async (item: string) => {
    await social.getByLabel('Item').fill(item)
    await social.getByRole('region', { name: 'Preview' }).getByText(`Gift: ${item}`).waitFor()
    await social.getByRole('button', { name: 'Publish to 2' }).click()
  }
  // He has not opened his inbox, and nobody has written to him: it is not opened.
  expect(sockets).toEqual(['/v1/notifications/ws'])
  await publish('Golden sword')
  await social.getByText('Published to 2 of 2.').waitFor()
  await social.getByRole('region', { name: 'Outcomes' }).getByRole('row', { name: bob }).waitFor()
  const tab = his.getByRole('tab', { name: 'Inbox', exact: true })
  await tab.getByText('1 unread').waitFor({ state: 'attached' })
  await publish('Shield')
  await tab.getByText('2 unread').waitFor({ state: 'attached' })
  await tab.click()
  for (const title of ['Gift: Golden sword', 'Gift: Shield'])
    await his.getByRole('row', { name: title }).waitFor()
  for (const technical of ['Device 1', 'seq', 'Cut off', 'shop.gift'])
    expect(await his.getByText(technical).count()).toBe(0)
  await his.getByRole('button', { name: 'Mark all read' }).click()
  await tab.locator('.tab-badge').waitFor({ state: 'detached' })
  expect(sockets).toEqual(Array(2).fill('/v1/notifications/ws'))

  // The next time the count is there at once.
  await publish('Lantern')
  await his.getByRole('row', { name: 'Gift: Lantern' }).waitFor()
  await his.getByRole('tab', { name: 'Files' }).click()
  await page.reload()
  await tab.getByText('1 unread').waitFor({ state: 'attached' })
  expect(window.faults).toEqual([])
})
