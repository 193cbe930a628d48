import { beforeAll, expect, it } from 'vitest'
import { Console, newUser } from './console.ts'

const console_ = await Console.start()
const ada = newUser('ada')

/** Sends a request as Ada. */
async function asAda(method: string, path: string, body?: object | string): Promise<Record<string, unknown>> {
  const { token } = await post('/development/token', { user_id: ada })
  return sent(method, path, body, token)
}

const post = (path: string, body: object) => sent('POST', path, body)

async function sent(method: string, path: string, body?: object | string, token?: string) {
  const isJson = typeof body === 'object'
  const response = await fetch(console_.origin + path, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': isJson ? 'application/json' : 'text/plain' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: isJson ? JSON.stringify(body) : body,
  })
  return response.status === 204 ? {} : response.json()
}

/** What Ada has: a folder in the trash, another, a world, and a save with two revisions. */
beforeAll(async () => {
  const { id } = await asAda('POST', '/v1/files', { name: 'Screenshots', asset_type: 'folder' })
  await asAda('DELETE', `/v1/files/${id}`)
  await asAda('POST', '/v1/files', { name: 'Maps', asset_type: 'folder' })
  const castle = await asAda('POST', '/v1/game/assets', { name: 'Castle', type: 'world' })
  const { token } = await post('/development/token', {
    user_id: newUser('mod'),
    scope: 'content:moderate',
  })
  const target = { type: 'asset', id: castle.id }
  const opened = await sent('POST', '/v1/moderation/cases', { target }, token)
  const decision = { action: 'warn', ground: 'terms', statement: 'Look at the rules.' }
  await sent('POST', `/v1/moderation/cases/${opened.id}/decisions`, decision, token)
  await asAda('PUT', '/v1/saves/auto', 'first')
  await asAda('PUT', '/v1/saves/auto', 'second')
})

const scopes = ['players:write', 'audit:read']

it('restores what a player has deleted, for a reason that is asked for once, and shows the entry', async () => {
  const window = await console_.open()
  await window.page.goto(`${console_.origin}/console/operators/users/${ada}`)
  const support = newUser('support')
  const pane = await window.signIn({ user_id: support, scopes })
  await pane.getByRole('region', { name: 'Act for them' }).getByRole('link', { name: 'Trash' }).click()
  await pane.getByText(`You act for ${ada}`).waitFor()
  await pane.getByRole('button', { name: 'Restore' }).click()
  const asked = window.page.getByRole('dialog', { name: `Why do you act for ${ada}?` })
  await asked.waitFor()
  expect(await window.violations()).toEqual([])
  await asked.getByLabel('Reason').fill('Ticket 4711')
  await asked.getByRole('button', { name: 'Go on' }).click()
  await pane.getByText(`${support} restored a file or folder for ${ada}.`).waitFor()

  await pane.getByRole('tab', { name: 'Files', exact: true }).last().click()
  await pane.getByText('Screenshots').first().waitFor()
  await pane.getByRole('button', { name: 'New folder' }).click()
  const folder = window.page.getByRole('dialog')
  await folder.getByRole('textbox').fill('By support')
  await folder.getByRole('textbox').press('Enter')
  // The reason is kept: nobody is asked again.
  await pane.getByText(`${support} made a folder for ${ada}.`).waitFor()
  expect(await window.violations()).toEqual([])

  await pane.getByRole('tab', { name: 'What was done' }).click()
  const list = pane.getByRole('grid', { name: 'What was done' })
  for (const words of ['made a folder', 'restored a file or folder', 'looked at what is there'])
    await list.getByText(`${support} ${words} for ${ada}`).first().waitFor()
  expect(await list.getByText('‘Ticket 4711’').count()).toBe(2)
  expect(JSON.stringify(await asAda('GET', '/v1/files'))).toContain('By support')
  expect(window.faults).toEqual([])
})

it('changes nothing without a reason', { tags: 'release' }, async () => {
  const window = await console_.open()
  await window.page.goto(`${console_.origin}/console/operators/users/${ada}/desk/saves`)
  const pane = await window.signIn({ scopes })
  await pane.getByText('auto').first().click()
  await pane.getByRole('button', { name: 'Delete' }).first().click()
  await window.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const asked = window.page.getByRole('dialog', { name: `Why do you act for ${ada}?` })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await window.page.getByText('Nothing was changed, because no reason was given.').first().waitFor()
  expect(JSON.stringify(await asAda('GET', '/v1/saves'))).toContain('"auto"')
})

/** Looks at each of the player's screens, in a window of its own. */
async function lookAtDesk(width: number, theme: 'light' | 'dark'): Promise<void> {
  const window = await console_.open({ width, theme })
  await window.page.goto(`${console_.origin}/console/operators/users/${ada}/desk`)
  const pane = await window.signIn({ scopes })
  const screens = {
    Files: 'Maps',
    Trash: 'Empty the trash',
    Assets: 'Castle',
    Saves: 'auto',
    Inbox: '1 unread notification.',
    Decisions: 'Look at the rules.',
    'What was done': 'looked at what is there',
  }
  for (const [name, shown] of Object.entries(screens)) {
    await pane
      .getByRole('tablist', { name: `What ${ada} has` })
      .getByRole('tab', { name })
      .click()
    await pane.getByText(shown).first().waitFor()
    expect(await window.isWiderThanWindow(), `${name} at ${width}`).toBe(false)
  }
  expect(await window.violations()).toEqual([])
  await pane.getByRole('tab', { name: 'Decisions' }).click()
  await pane.getByText('Look at the rules.').first().click()
  await pane.getByText('Only the player can appeal.').waitFor()
  expect(window.faults).toEqual([])
}

it.each([
  [375, 'dark'],
  [1_280, 'light'],
] as const)('has each of the player’s screens in a window of %i, %s', { tags: 'release' }, lookAtDesk)

it('acts for a player whatever their id is', { tags: 'release' }, async () => {
  const window = await console_.open({ width: 375 })
  const name = '<img src=x onerror=alert(1)>'
  const suffix = newUser('')
  const ids = ['a/../b?c=1#d', '%2F..', '<b>x</b>', '\u202Egro', 'desk', 'x'.repeat(110)]
  await window.page.goto(`${console_.origin}/console/operators`)
  const pane = await window.signIn({ scopes })
  for (const id of ids.map((start) => start + suffix)) {
    const { token } = await post('/development/token', { user_id: id })
    await sent('POST', '/v1/files', { name, asset_type: 'folder' }, String(token))
    await pane.getByLabel('User id').fill(id)
    await pane.getByLabel('User id').press('Enter')
    await pane.getByRole('region', { name: 'Act for them' }).getByRole('link', { name: 'Files' }).click()
    await pane.getByText(name).first().waitFor()
    // An id may have characters that turn the direction of the text around it.
    expect(await pane.locator('.desk-head bdi').innerText()).toBe(id)
    await pane.getByRole('tab', { name: 'What was done' }).last().click()
    await pane
      .getByRole('grid', { name: 'What was done' })
      .locator('a > bdi')
      .filter({ hasText: id })
      .waitFor()
    expect(await window.isWiderThanWindow()).toBe(false)
    await pane.getByRole('tab', { name: 'Trash' }).click()
    await pane.getByRole('link', { name: 'Back to their page' }).click()
    await pane.getByRole('link', { name: 'Players' }).first().click()
  }
  expect(window.faults).toEqual([])
})
