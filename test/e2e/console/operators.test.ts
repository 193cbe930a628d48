import { expect, it } from 'vitest'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()

const all = [
  'announcements:publish',
  'audit:read',
  'content:moderate',
  'events:manage',
  'job:read',
  'quota:write',
  'shards:move',
  'users:erase',
  'users:read',
]

it('finds a player by their id, says what they have, sets their quota, and gives back the default', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const pane = await window.signIn({ scopes: all })
  const bob = newUser('bob')
  await newAsset('Castle', bob)
  await pane.getByRole('tab', { name: 'Operators' }).click()
  await pane.getByLabel('User id').fill(bob)
  await window.page.keyboard.press('Enter')
  const name = pane.getByRole('heading', { name: bob })
  await name.and(window.page.locator(':focus')).waitFor()
  expect(new URL(window.page.url()).pathname).toBe(`/console/operators/users/${bob}`)
  const has = pane.getByRole('region', { name: 'What they have' })
  await has.getByText('Assets1 (1 public)').waitFor()
  const quota = pane.getByRole('region', { name: 'Quota' })
  await quota.getByText(`${bob} uses 0 bytes of 5 GiB.`).waitFor()
  await quota.getByLabel('New limit').fill('1.5')
  await quota.getByLabel('Reason').fill('For the fair – ü')
  const set = window.page.waitForRequest((request) => request.method() === 'PUT')
  await quota.getByRole('button', { name: 'Set' }).click()
  expect((await set).headers()['audit-reason']).toBe(encodeURIComponent('For the fair – ü'))
  await quota.getByText(`${bob} uses 0 bytes of 1.5 GiB.`).waitFor()
  expect(await quota.getByLabel('Reason').inputValue()).toBe('')
  await quota.getByLabel('New limit').fill('7')
  await quota.getByRole('button', { name: 'Unit' }).click()
  await window.page.getByRole('option', { name: 'MiB' }).click()
  await quota.getByRole('button', { name: 'Set' }).click()
  await has.getByText('of 7 MiB').waitFor()
  await quota.getByRole('button', { name: 'Use the default' }).click()
  await quota.getByText('of 5 GiB').waitFor()
  await has.getByRole('link', { name: '1 public' }).click()
  await pane.getByRole('button', { name: `Show the assets of all, and not of ${bob} only` }).waitFor()
  await pane.getByRole('row', { name: 'Castle' }).waitFor()
  expect(window.faults).toEqual([])
})

it('blocks an asset where it is shown, lists it with its reason and on its owner’s page, and unblocks it', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const [name, carol] = [newUser('Castle'), newUser('carol')]
  const id = await newAsset(name, carol)
  await window.page.goto(`${console_.origin}/console/discover/${id}`)
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('button', { name: `Block ${name}` }).click()
  const asked = window.page.getByRole('dialog', { name: `Block ${name}?` })
  expect(await window.violations()).toEqual([])
  await asked.getByLabel('Reason').fill('a copied logo')
  await asked.getByRole('button', { name: 'Block', exact: true }).click()
  await pane.getByRole('heading', { name: 'This asset can’t be seen' }).waitFor()
  await pane.getByRole('tab', { name: 'Operators' }).click()
  await pane.getByRole('tab', { name: 'Blocks' }).click()
  // Other tests block things too.
  const row = pane.getByRole('row', { name })
  await row.getByText('a copied logo').waitFor()
  await row.getByRole('link', { name: carol }).click()
  const blocked = pane.getByRole('region', { name: 'Blocked content' })
  await blocked.getByRole('button', { name: `Unblock ${name}` }).click()
  await blocked.getByText(`Nothing of ${carol} is blocked.`).waitFor()
  await pane.getByRole('tab', { name: 'Discover' }).click()
  await pane.getByRole('heading', { name }).waitFor()
  // The browser names each request that the block makes a 404.
  const hidden = `404 (Not Found) (${console_.origin}/v1/game/assets/${id}`
  expect(window.faults.filter((fault) => !fault.includes(hidden))).toEqual([])
})

it('says what was done to a player, by whom and why, also what was refused or cut off', async () => {
  const window = await console_.open()
  const [dora, moderator] = [newUser('dora'), newUser('moderator')]
  const id = await newAsset('Forest', dora)
  await window.page.goto(`${console_.origin}/console/discover/${id}`)
  const pane = await window.signIn({ user_id: moderator, scopes: all })
  await pane.getByRole('button', { name: 'Block Forest' }).click()
  const asked = window.page.getByRole('dialog', { name: 'Block Forest?' })
  await asked.getByLabel('Reason').fill('reported three times')
  await asked.getByRole('button', { name: 'Block', exact: true }).click()
  await pane.getByRole('heading', { name: 'This asset can’t be seen' }).waitFor()
  await window.page.goto(`${console_.origin}/console/operators/users/${dora}`)
  await pane.getByRole('link', { name: 'What was done to them' }).click()
  const list = pane.getByRole('grid', { name: 'What was done' })
  await list.getByText(`${moderator} blocked an asset of ${dora}, just now`).waitFor()
  await list.getByText('‘reported three times’').waitFor()
  expect(await window.violations()).toEqual([])
  await pane.getByLabel('Done to').fill('')
  await pane.getByLabel('Done by').fill(moderator)
  await pane.getByRole('button', { name: 'Show' }).click()
  await list.getByText(`${moderator} blocked an asset of ${dora}`).waitFor()
  await pane.getByRole('button', { name: 'What' }).click()
  await window.page.getByRole('option', { name: 'Erased' }).click()
  await pane.getByText('Nothing of that was done').waitFor()
  expect(new URL(window.page.url()).searchParams.get('act')).toBe('eraseUser')
  const entry = {
    at: 1_795_257_600,
    actor: 'mod-7',
    scope: 'content:moderate',
    action: 'blockFile',
    resource: id,
  }
  const others = { user_id: null, reason: null, request_id: 'request-1' }
  const entries = [
    { id: 'cut', ...entry, ...others, status: null },
    { id: 'refused', ...entry, ...others, status: 404 },
  ]
  await window.page.route(/\/v1\/audit/, (route) => route.fulfill({ json: { entries, next_cursor: null } }))
  await window.page.goto(`${console_.origin}/console/operators/audit`)
  const [cut, refused] = [list.getByRole('row').nth(0), list.getByRole('row').nth(1)]
  await cut.getByText('mod-7 tried to block a file or folder').waitFor()
  await cut.getByText('It was cut off, or has not ended: nobody knows whether it took effect.').waitFor()
  await refused.getByText('It was refused with 404, and changed nothing.').waitFor()
  expect(await window.violations()).toEqual([])
})

it('announces until the announcement is ended', { tags: 'release' }, async () => {
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
  await pane.getByRole('tab', { name: 'Announcements' }).click()
  const part = pane.getByRole('tabpanel', { name: 'Announcements' })
  await part.getByText('Nothing is announced').waitFor()
  await part.getByLabel('Title').fill('Party')
  await part.getByLabel('Text').fill('There is cake.')
  await part.getByRole('button', { name: 'Announce' }).click()
  const asked = window.page.getByRole('dialog', { name: 'Announce to all players?' })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  expect(announcements).toEqual([])
  await part.getByRole('button', { name: 'Announce' }).click()
  await asked.getByRole('button', { name: 'Announce to all' }).click()
  const message = part.getByRole('row', { name: 'Party' })
  await message.getByText('Party. There is cake.').waitFor()
  expect(await message.getByText('studio.message').count()).toBe(0)
  expect(announcements).toMatchObject([
    { type: 'studio.message', data: { title: 'Party', text: 'There is cake.' } },
  ])
  await window.showDeveloperView()
  await message.getByText('studio.message').waitFor()
  await part.getByLabel('Own type').fill('studio.party')
  await part.getByLabel('Data').fill('{ "cake": true }')
  await part.getByLabel('Ends').fill('2026-12-24T18:00')
  await part.getByRole('button', { name: 'Announce' }).click()
  await asked.getByRole('button', { name: 'Announce to all' }).click()
  const row = part.getByRole('row', { name: 'Party' })
  await row.getByText('{"cake":true}').waitFor()
  const expires_at = await window.page.evaluate<number>("new Date('2026-12-24T18:00').getTime() / 1000")
  expect(announcements).toMatchObject([{ type: 'studio.party', data: { cake: true }, expires_at }])
  await row.getByRole('button', { name: 'End' }).click()
  await window.page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await part.getByText('Nothing is announced').waitFor()
  expect(window.faults).toEqual([])
})

it('says what to do where nothing is blocked', { tags: 'release' }, async () => {
  const window = await console_.open()
  await window.page.route('**/v1/blocked?*', (route) =>
    route.fulfill({ json: { blocked: [], next_cursor: null } }),
  )
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('tab', { name: 'Operators' }).click()
  await pane.getByRole('tab', { name: 'Blocks' }).click()
  await pane.getByText('Nothing is blocked').waitFor()
  expect(window.faults).toEqual([])
})

it('erases a user only when the name is typed, and shows what the job then did', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const bob = newUser('bob')
  await newAsset('Gone soon', bob)
  await window.page.goto(`${console_.origin}/console/operators/users/${bob}`)
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('button', { name: 'Erase …' }).click()
  const asked = window.page.getByRole('dialog', { name: `Erase ${bob}` })
  const confirm = asked.getByRole('button', { name: 'Erase', exact: true })
  await asked.getByLabel('to confirm').fill('bo')
  expect(await confirm.isDisabled()).toBe(true)
  await asked.getByLabel('to confirm').fill(bob)
  await asked.getByLabel('Reason').fill('Asked for by mail')
  const sent = window.page.waitForRequest((request) => request.method() === 'DELETE')
  await confirm.click()
  expect((await sent).headers()['audit-reason']).toBe('Asked%20for%20by%20mail')
  await window.page.getByText(`${bob} is erased.`).waitFor()
  await pane.getByText('This player is being erased').waitFor()
  expect(await window.violations()).toEqual([])
  await pane.getByRole('link', { name: 'The job' }).click()
  await pane.getByRole('button', { name: 'Run the job' }).click()
  await pane
    .getByRole('list', { name: 'What the job did' })
    .getByText(/of erasing/)
    .first()
    .waitFor()
  expect(window.faults).toEqual([])
})

it('says how many events were not delivered, why, and what to do, and how full the databases are', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  // The shared server has no receiver.
  let parked = [1, 2, 3].map(undeliveredEvent)
  let waiting = [
    { ...undeliveredEvent(4), ...notSentYet, parked_at: null },
    { ...undeliveredEvent(5), parked_at: null },
  ]
  await window.page.route(/\/v1\/events/, async (route) => {
    const request = route.request()
    const database = { database: 'DB', waiting: waiting.length, parked: parked.length, dropped: 0 }
    if (request.method() === 'GET')
      return route.fulfill({ json: { is_configured: true, databases: [database], waiting, parked } })
    const { id } = request.postDataJSON()
    const left = parked.length + waiting.length
    parked = parked.filter((event) => id !== undefined && event.id !== id)
    waiting = waiting.filter((event) => event.id !== id)
    return route.fulfill({
      json: { events: left - parked.length - waiting.length, has_more: false },
    })
  })
  const pane = await window.signIn({ scopes: all })
  await pane.getByRole('tab', { name: 'Operators' }).click()
  await pane.getByRole('tab', { name: 'Events' }).click()
  await pane.getByText('3 events could not be delivered: the receiver answered 500.').waitFor()
  await pane.getByText('The receiver answered 500, 2 hours ago · tried 12 times').first().waitFor()
  const sent = pane.getByText('"user_id": "player-1"')
  expect(await sent.count()).toBe(0)
  await window.showDeveloperView()
  await sent.waitFor()
  await pane.getByRole('row').first().getByRole('button', { name: 'Discard' }).click()
  await window.page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await pane.getByText('2 events could not be delivered').waitFor()
  expect(await window.violations()).toEqual([])
  await pane.getByRole('button', { name: 'Send all again' }).click()
  // Behind a receiver that fails, most have not been sent: those that say why are the first.
  const waits = pane.getByRole('grid', { name: 'Events that wait' })
  await waits.getByRole('row').first().getByRole('button', { name: 'Send again' }).click()
  await waits.getByRole('button', { name: 'Send now' }).click()
  await pane.getByText('Every event was delivered').waitFor()
  await pane.getByRole('tab', { name: 'Databases' }).click()
  await pane.getByRole('meter', { name: 'Size of DB', exact: true }).getByText('of 10 GB').waitFor()
  await pane.getByText('partitions: all').first().waitFor()
  await pane.getByRole('tab', { name: 'The job' }).click()
  await pane.getByRole('button', { name: 'Run the job' }).click()
  const figures = pane.getByRole('list', { name: 'Figures of the job' })
  await figures.getByText('queries').first().waitFor()
  await window.hideDeveloperView()
  await figures.waitFor({ state: 'detached' })
  expect(window.faults).toEqual([])
})

it('names the scope that is missing, and gets a token with it, without a way back to the form', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ width: 375 })
  const bob = newUser('bob')
  await window.page.goto(`${console_.origin}/console/operators/users/${bob}`)
  const pane = await window.signIn()
  for (const scope of ['users:read', 'quota:write', 'content:moderate', 'users:erase'])
    await pane.getByText(scope, { exact: true }).waitFor()
  expect(await window.violations()).toEqual([])
  await pane.getByRole('button', { name: 'Get a token with it: users:read' }).click()
  await pane.getByText('Nothing is stored of this id.').waitFor()
  await pane.getByText('quota:write', { exact: true }).waitFor()
  for (const [part, scope] of [
    ['Announcements', 'announcements:publish'],
    ['Events', 'events:manage'],
    ['Databases', 'shards:move'],
    ['What was done', 'audit:read'],
    ['The job', 'job:read'],
  ] as const) {
    await pane.getByRole('tab', { name: part }).click()
    await pane.getByText(scope, { exact: true }).waitFor()
  }
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(window.faults).toEqual([])
})

const notSentYet = { attempts: 0, last_error: null, last_failed_at: null }

function undeliveredEvent(number: number) {
  const [at, user_id] = [1_795_257_600, `player-${number}`]
  return {
    ...{
      database: 'DB',
      id: `event-${number}`,
      type: 'user.erased',
      resource_id: user_id,
      data: { user_id },
    },
    ...{ created_at: at, attempts: 12, next_at: at, parked_at: at },
    last_error: 'answered 500',
    last_failed_at: Math.floor(Date.now() / 1_000) - 7_300,
  }
}

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
