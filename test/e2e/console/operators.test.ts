import { expect, it } from 'vitest'
import { openScreen } from '../../../scripts/screenshots/scenes.ts'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const all = ['announcements:publish', 'content:moderate', 'quota:write', 'users:erase']

it('sets a user’s quota, and gives back the default', async () => {
  const window = await console_.open()
  const pane = await window.signIn({ scopes: all })
  const bob = newUser('bob')
  await pane.getByRole('tab', { name: 'Operators' }).click()
  const quota = pane.getByRole('region', { name: 'A user’s quota' })
  await quota.getByLabel('User id').fill(bob)
  await quota.getByRole('button', { name: 'Show' }).click()
  await quota.getByText(`${bob} uses 0 bytes of 5 GiB.`).waitFor()
  await quota.getByLabel('New limit, in MiB').fill('7')
  await quota.getByRole('button', { name: 'Set' }).click()
  await quota.getByText(`${bob} uses 0 bytes of 7 MiB.`).waitFor()
  await quota.getByRole('button', { name: 'Use the default' }).click()
  await quota.getByText('of 5 GiB').waitFor()
  expect(await window.violations()).toEqual([])
  expect(window.faults).toEqual([])
})

it('lists what is blocked, with its reason, until it is unblocked', async () => {
  const window = await console_.open()
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('tab', { name: 'Operators' }).click()
  const blocked = pane.getByRole('region', { name: 'Blocked content' })
  // Other tests block things too.
  const name = newUser('Castle')
  await blocked.getByLabel('Id').fill(await newAsset(name))
  await blocked.getByLabel('Reason').fill('a copied logo')
  await blocked.getByRole('button', { name: 'Block', exact: true }).click()
  const row = blocked.getByRole('row', { name })
  await row.getByText('a copied logo').waitFor()
  await row.getByRole('button', { name: 'Unblock' }).click()
  await row.waitFor({ state: 'detached' })
  expect(window.faults).toEqual([])
})

it('announces until the announcement is ended', async () => {
  const window = await console_.open()
  // A true announcement would reach the inboxes of other tests.
  let announcements: object[] = []
  await window.page.route(/\/v1\/announcements/, async (route) => {
    const request = route.request()
    if (request.method() === 'DELETE') announcements = []
    if (request.method() !== 'POST')
      return request.method() === 'GET'
        ? route.fulfill({ json: { announcements, next_cursor: null } })
        : route.fulfill({ status: 204 })
    const announcement = { id: 'one', created_at: 1_795_257_600, ...request.postDataJSON() }
    announcements = [announcement]
    return route.fulfill({ status: 201, json: announcement })
  })
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('tab', { name: 'Operators' }).click()
  const part = pane.getByRole('region', { name: 'Announcements' })
  await part.getByText('Nothing is announced').waitFor()
  await part.getByLabel('Own type').fill('studio.party')
  await part.getByLabel('Data').fill('{ "cake": true }')
  await part.getByLabel('Ends').fill('2026-12-24T18:00')
  await part.getByRole('button', { name: 'Announce' }).click()
  const row = part.getByRole('row', { name: 'studio.party' })
  await row.getByText('{"cake":true}').waitFor()
  const expires_at = await window.page.evaluate<number>("new Date('2026-12-24T18:00').getTime() / 1000")
  expect(announcements).toMatchObject([{ type: 'studio.party', data: { cake: true }, expires_at }])
  await row.getByRole('button', { name: 'End' }).click()
  await window.page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await part.getByText('Nothing is announced').waitFor()
  expect(window.faults).toEqual([])
})

it('says what to do where nothing is blocked', async () => {
  const window = await console_.open()
  await window.page.route('**/v1/blocked?*', (route) =>
    route.fulfill({ json: { blocked: [], next_cursor: null } }),
  )
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('tab', { name: 'Operators' }).click()
  await pane.getByText('Nothing is blocked').waitFor()
  expect(window.faults).toEqual([])
})

it('erases a user only when the name is typed, and shows what the job then did', async () => {
  const window = await console_.open()
  const pane = await window.signIn({ scopes: all })
  const bob = newUser('bob')
  await newAsset('Gone soon', bob)
  await pane.getByRole('tab', { name: 'Operators' }).click()
  const erasure = pane.getByRole('region', { name: 'Erase a user' })
  await erasure.getByLabel('User id').fill(bob)
  await erasure.getByRole('button', { name: 'Erase …' }).click()
  const asked = window.page.getByRole('dialog', { name: `Erase ${bob}` })
  const confirm = asked.getByRole('button', { name: 'Erase', exact: true })
  await asked.getByLabel('to confirm').fill('bo')
  expect(await confirm.isDisabled()).toBe(true)
  await asked.getByLabel('to confirm').fill(bob)
  await confirm.click()
  await window.page.getByText(`${bob} is erased.`).waitFor()
  await pane.getByRole('button', { name: 'Run the job' }).click()
  await pane
    .getByRole('table', { name: 'What the job did' })
    .getByRole('row', { name: /erased/ })
    .waitFor()
  expect(await window.violations()).toEqual([])
  expect(window.faults).toEqual([])
})

it('says which scope is missing', async () => {
  const window = await console_.open({ width: 375 })
  const pane = await window.signIn()
  await openScreen(pane, 'Operators')
  for (const scope of all) await pane.getByText(scope).waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(window.faults).toEqual([])
})

/** Creates a public asset, without the console. Returns its id. */
async function newAsset(name: string, user_id = newUser('carol')): Promise<string> {
  const post = async (path: string, body: object, token?: string) => {
    const response = await fetch(console_.origin + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const { token } = await post('/development/token', { user_id })
  const { id } = await post('/v1/game/assets', { name, type: 'world', visibility: 'public' }, token)
  return id
}
