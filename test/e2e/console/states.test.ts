import { expect, it } from 'vitest'
import { Console, newUser } from './console.ts'
import { choose, makeFolder, row, text, upload } from './files.ts'

const console_ = await Console.start()

it('says that it is offline, keeps what is shown, and reads what failed once it is back, without a press', async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await makeFolder(pane, 'world')
  await upload(pane, [text('a.txt', 'a')])
  await page.context().setOffline(true)
  await row(pane, 'world').click()
  await page.getByText('You are offline.').waitFor()
  await pane.getByRole('alert').waitFor() // the folder could not be read
  expect(await window.violations()).toEqual([])
  await page.context().setOffline(false)
  await pane.getByText('Nothing here yet').waitFor()
  expect(await page.getByText('You are offline.').count()).toBe(0)
  expect(window.faults.filter((fault) => !fault.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
})

it('loads a screen when it is first shown: says so when that fails, until the service is back, and when the service has a newer one', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ isNew: true })
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  await page.context().setOffline(true)
  await pane.getByRole('tab', { name: 'Saves' }).click()
  await pane.getByText('This part of the console could not be loaded.').waitFor()
  await page.context().setOffline(false)
  await pane.getByRole('heading', { name: 'Saves', exact: true }).waitFor()
  await page.route('**/console/static/discover-screen.js', async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    const ofNewer = body.replace(/[0-9a-f]{16}/, 'f'.repeat(16))
    expect(ofNewer).not.toBe(body)
    await route.fulfill({ response, body: ofNewer })
  })
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByText('The console has been updated since.').waitFor()
  expect(await pane.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  expect(window.faults.filter((fault) => !fault.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
})

it('goes on with an upload that got no answer, without a press', { tags: 'release' }, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await pane.getByText('Nothing here yet').waitFor()
  let isCut = true
  await page.route('**/v1/files/content?*', (route) =>
    isCut ? route.abort('internetdisconnected') : route.continue(),
  )
  const chooser = page.waitForEvent('filechooser')
  await pane.getByRole('button', { name: 'Upload', exact: true }).click()
  await (await chooser).setFiles([text('b.txt', 'b')])
  await pane.getByRole('button', { name: 'Try b.txt again' }).waitFor()
  isCut = false
  await row(pane, 'b.txt').waitFor()
  await pane.getByRole('complementary', { name: 'Uploads' }).waitFor({ state: 'detached' })
})

it('waits for a service that does not answer when the page is opened, and then shows the form', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  let isDown = true
  const isRefused = Promise.withResolvers<void>()
  await page.route(/\/health(z)?$/, (route) => {
    if (!isDown) return route.continue()
    isRefused.resolve()
    return route.abort('connectionrefused')
  })
  await page.reload()
  await isRefused.promise
  await page.getByText('The service does not answer.').waitFor()
  isDown = false
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText('Sign in as anybody').waitFor()
  expect(window.faults.filter((fault) => !fault.includes('ERR_CONNECTION_REFUSED'))).toEqual([])
})

it('ignores what is no valid value in the storage of the browser', { tags: 'release' }, async () => {
  const window = await console_.open({ isNew: true })
  const { page } = window
  const user_id = newUser()
  await page.evaluate((name) => {
    localStorage.setItem(`console uploads of ${name}`, '[{')
    sessionStorage.setItem('console panes', '{"key":')
    for (const key of ['console theme', 'console request tab', 'console inboxes'])
      localStorage.setItem(key, '{')
  }, user_id)
  // What is shown is stored as it changes: a reload would write over the value.
  await page.addInitScript(() => sessionStorage.setItem('console panes', '{"key":'))
  await page.reload()
  const pane = await window.signIn({ user_id })
  await makeFolder(pane, 'world')
  await upload(pane, [text('a.txt', 'a')])
  await row(pane, 'a.txt').waitFor()
  expect(window.faults).toEqual([])
})

it('does nothing for a user who has signed out, and shows nothing of theirs', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await window.signIn()
  await makeFolder(pane, 'world')
  await row(pane, 'world').click()
  await expect.poll(() => page.title()).toBe('world · Console')
  await makeFolder(pane, 'old')
  const isFull = Promise.withResolvers<void>()
  const isSignedOut = Promise.withResolvers<void>()
  const sent: Promise<void>[] = []
  await page.route('**/v1/files/content?*', async (route) => {
    sent.push(isSignedOut.promise.then(() => route.continue()))
    if (sent.length === 3) isFull.resolve()
  })
  const chooser = page.waitForEvent('filechooser')
  await pane.getByRole('button', { name: 'Upload', exact: true }).click()
  await (await chooser).setFiles(['1', '2', '3', '4', '5'].map((name) => text(`${name}.txt`, name)))
  await isFull.promise
  await choose(pane, 'old', 'Delete')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await pane.getByRole('button', { name: 'Sign out' }).click({ timeout: 10_000 }) // no notice lies on it
  await page.getByText('Sign in as anybody').waitFor()
  expect(await page.title()).toBe('Console')
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  isSignedOut.resolve()
  await window.signIn()
  await page.getByText('Nothing here yet').waitFor()
  expect(sent).toHaveLength(3)
  expect(await page.getByText('world').count()).toBe(0)
})
