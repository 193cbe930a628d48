import { describe, expect, it } from 'vitest'
import { INSECURE_HOST } from '../../../scripts/browser.ts'
import { openScreen } from '../../../scripts/screenshots/scenes.ts'
import { Server } from '../server.ts'
import { Console, newUser } from './console.ts'
import { makeFolder, row, text, upload } from './files.ts'

const console_ = await Console.start()

describe('a window at an address of the network, which is no secure context', () => {
  it('signs in, uploads, writes a save and reads the inbox, for two users, and copies', async () => {
    const { port } = new URL(console_.origin)
    const window = await console_.open({ origin: `http://${INSECURE_HOST}:${port}` })
    const { page } = window
    expect(await page.evaluate('[isSecureContext, crypto.randomUUID, navigator.clipboard]')).toEqual([
      false,
      undefined,
      undefined,
    ])
    await window.signIn()
    await window.addPane()
    const pane = await window.signIn()
    await upload(pane, [text('a.txt', 'four towers')])
    await row(pane, 'a.txt').waitFor()
    await window.showDeveloperView(pane)
    await pane.getByRole('option', { name: /POST \/v1\/files.* 201/ }).click()
    await pane.getByRole('tab', { name: 'curl', exact: true }).click()
    await pane.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Copied as curl.').waitFor()
    await pane.getByRole('button', { name: 'Close the details' }).click()
    const search = pane.getByRole('searchbox', { name: 'Search the loaded names' })
    await search.press('ControlOrMeta+v')
    expect(await search.inputValue()).toContain(`http://${INSECURE_HOST}:${port}/v1/files`)

    await openScreen(pane, 'Saves')
    await pane.getByRole('button', { name: 'New save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Write', exact: true }).click()
    await pane.getByRole('row', { name: 'auto', exact: true }).waitFor()
    await openScreen(pane, 'Inbox')
    await pane.getByText('connected').first().waitFor()
    expect(window.faults).toEqual([])
  })
})

describe('a pane', () => {
  it('shows each request, with its status, and copies it as curl and as client code without the token', async () => {
    const window = await console_.open()
    const { page } = window
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const pane = await window.signIn()
    await window.showDeveloperView(pane)
    const request = pane.getByRole('option', { name: /GET \/v1\/files\?.* 200/ })
    await request.click()
    const copied = async (name: string, said: string) => {
      await pane.getByRole('tab', { name, exact: true }).click()
      await pane.getByRole('button', { name: 'Copy', exact: true }).click()
      await page.getByText(said).waitFor()
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    const curl = await copied('curl', 'Copied as curl.')
    expect(curl).toContain(`${console_.origin}/v1/files?`)
    expect(curl).toContain('-H "Authorization: Bearer $TOKEN"')
    expect(await copied('Client', 'Copied as client code.')).toMatch(
      /^await client\.files\.list\(\{.*limit: \d+/s,
    )
    const csharp = await copied('C#', 'Copied as C#.')
    expect(csharp).toMatch(
      /^var filePage = await storage\.ListFiles\(.* Limit = \d+.*\)\.GetPageAsync\(\);$/s,
    )
    const gdscript = await copied('GDScript', 'Copied as GDScript.')
    expect(gdscript).toContain(`"${console_.origin}/v1/files?`)
    expect(csharp + gdscript).not.toMatch(/eyJ/)
    expect(window.faults).toEqual([])
  })

  it('opens a request: what it did, what came back, what to do; one that is cancelled is not red', {
    tags: 'release',
  }, async () => {
    const window = await console_.open()
    const { page } = window
    const pane = await window.signIn()
    await window.showDeveloperView(pane)
    const list = pane.getByRole('option', { name: /GET \/v1\/files\?.* 200/ })
    const details = pane.getByRole('region', { name: 'Details of the request' })
    await list.click()
    await details.getByText(/D1 trips: \d+, rows read: \d+, rows written: 0/).waitFor()
    const reference = details.getByRole('link', { name: 'Reference' })
    expect(await reference.getAttribute('href')).toBe('/docs#listFiles')
    await details.getByRole('tab', { name: 'Answer' }).click()
    await details.getByText('"files"').waitFor()

    await page.route('**/v1/trash*', () => {}, { times: 1 })
    await pane.getByRole('tab', { name: 'Trash' }).click()
    await pane.getByRole('tab', { name: 'Files' }).click()
    const cancelled = pane.getByRole('option', { name: /GET \/v1\/trash.* cancelled/ })
    await cancelled.waitFor()
    expect(await cancelled.locator('.bad').count()).toBe(0)

    await pane.getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('a/b')
    await page.keyboard.press('Enter')
    const refused = pane.getByRole('option', { name: /POST \/v1\/files.* 400/ })
    await refused.locator('.bad').first().waitFor()
    await page.keyboard.press('Escape')
    await refused.click()
    await details.getByText('"FILE_INVALID_NAME"').waitFor()
    await details.getByRole('tab', { name: 'What it did' }).click()
    const help = details.getByRole('link', { name: 'What to do' })
    expect(await help.getAttribute('href')).toBe('/guides/errors#file_invalid_name')
    // The details follow the arrow keys, and Escape closes them.
    await refused.press('ArrowDown')
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    expect(window.faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })

  it('comes back after a reload with its user and its screen, and no token is kept', {
    tags: 'release',
  }, async () => {
    const window = await console_.open()
    const { page } = window
    const ada = newUser()
    const pane = await window.signIn({ user_id: ada })
    await pane.getByRole('tab', { name: 'Trash' }).click()
    await page.reload()
    await page.getByRole('region', { name: `Signed in as ${ada}` }).waitFor()
    expect(await pane.getByRole('tab', { name: 'Trash' }).getAttribute('aria-selected')).toBe('true')
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(kept).toContain(ada)
    expect(kept).not.toMatch(/eyJ/)
    expect(page.url()).not.toMatch(/eyJ/)
    expect(window.faults).toEqual([])
  })

  it('keeps the second user signed in behind one pane; suggests a name that is not in use, and no notice covers its form', {
    tags: 'release',
  }, async () => {
    const window = await console_.open()
    const { page } = window
    const field = page.getByLabel('User id')
    const selected = () =>
      field.evaluate(({ selectionStart, selectionEnd, value }: HTMLInputElement) =>
        value.slice(selectionStart ?? 0, selectionEnd ?? 0),
      )
    await expect.poll(selected).toBe('ada')
    const hers = await window.signIn({ user_id: 'ada' })
    const name = newUser('a folder')
    await makeFolder(hers, name)
    await row(hers, name).focus()
    await page.keyboard.press('Delete')
    const notice = page.getByRole('alertdialog').filter({ hasText: 'to the trash' })
    await notice.waitFor()
    const second = page.getByRole('button', { name: 'Second user' })
    for (const width of [375, 768, 1_024, 1_280]) {
      await page.setViewportSize({ width, height: 800 })
      await second.click({ trial: true })
    }
    await window.addPane()
    await expect.poll(selected).toBe('grace')
    const bar = await page.getByRole('banner').boundingBox()
    const box = await notice.boundingBox()
    expect(box && bar && box.y + box.height <= bar.y + bar.height).toBe(true)
    const bob = newUser('bob')
    const his = await window.signIn({ user_id: bob })
    for (const isReloaded of [false, true]) {
      await page.getByRole('button', { name: 'One user' }).click()
      await his.waitFor({ state: 'detached' })
      if (isReloaded) await page.reload()
      await window.addPane()
      await his.getByRole('tab', { name: 'Files' }).waitFor()
    }
    expect(window.faults).toEqual([])
  })

  it('takes a pasted token where users can’t be made up, and forgets it with the page', {
    tags: 'release',
  }, async () => {
    const window = await console_.open()
    const { page } = window
    await page.route('**/health', (route) => route.fulfill({ json: { status: 'ok', console: true } }))
    await page.reload()
    const ada = newUser()
    const response = await fetch(`${console_.origin}/development/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user_id: ada }),
    })
    const { token } = await response.json()
    await page.getByLabel('Token').fill('no token')
    await page.getByText('This is not a token').waitFor()
    await page.getByLabel('Token').fill(token)
    await page.getByText(`A token of ${ada}.`).waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('region', { name: `Signed in as ${ada}` }).waitFor()
    await page.reload()
    await page.getByLabel('Token').waitFor()
    expect(window.faults).toEqual([])
  })

  it('keeps the theme and the Developer view, off at first, and nothing of either theme is hard to read', {
    tags: 'release',
  }, async () => {
    const window = await console_.open({ theme: 'dark' })
    await window.signIn()
    expect(await window.violations()).toEqual([])
    expect(await window.page.getByText('Requests').count()).toBe(0)
    await window.showDeveloperView()
    await window.page.getByRole('button', { name: 'Theme: system' }).click()
    await window.page.reload()
    await window.page.getByRole('button', { name: 'Theme: light' }).waitFor()
    await window.page.getByRole('button', { name: 'Show the requests' }).waitFor()
    await window.page.getByRole('tab', { name: 'Files' }).waitFor()
    expect(await window.violations()).toEqual([])
    expect(window.faults).toEqual([])
  })
})

describe('a deployed service', () => {
  it('serves no console while CONSOLE is not set, and one that may reach only the bucket when it is', {
    tags: 'release',
  }, async () => {
    const deployed = {
      DEVELOPMENT: '',
      JWT_SECRET: 'x'.repeat(32),
      S3_ENDPOINT: 'https://account.r2.cloudflarestorage.com',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    }
    const server = await Server.start(deployed)
    try {
      for (const path of ['/console', '/console/', '/console/index.html', '/console/static/index.js']) {
        const answer = await fetch(server.url() + path)
        expect(answer.status).toBe(404)
        expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' })
      }
      await server.kill()
      await server.resume({ variables: { CONSOLE: 'on' } })
      const answer = await fetch(`${server.url()}/console/`)
      expect(answer.status).toBe(200)
      const policy = answer.headers.get('Content-Security-Policy') ?? ''
      expect(policy.match(/https?:[^ ;]*/g)).toEqual(
        Array(3).fill('https://account.r2.cloudflarestorage.com'),
      )
      expect(policy).toContain("default-src 'none'")
      expect(await answer.text()).toContain('<title>Console</title>')
      expect((await fetch(`${server.url()}/console/static/index.js`)).status).toBe(200)
    } finally {
      await server.stop()
    }
  })
})
