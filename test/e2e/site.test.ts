import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../scripts/browser.ts'
import { sharedBrowser } from './browser/shared-browser.ts'
import { sharedOrigin } from './browser/shared-server.ts'
import { violationsInBothThemes } from './browser/violations.ts'
import { project } from './citations.ts'

const out = join(project, 'out/pages')

const origin = sharedOrigin()
const browser = await sharedBrowser()

/** What goes wrong on a page while `look` looks at it: errors, and requests to any other host. */
async function faults(
  path: string,
  look: (page: Page) => Promise<unknown>,
  width = 1_280,
): Promise<string[]> {
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  const found = faultsOf(page, [origin])
  await page.goto(origin + path)
  await look(page)
  await page.close()
  return found
}

const isWiderThanTheWindow = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Where the heading of an anchor is. */
async function topOf(page: Page, id: string): Promise<string> {
  const box = await page.locator(`[id="${id}"] :is(h2, h3)`).first().boundingBox()
  return box && box.y >= 0 && box.y < 200 ? 'in view' : `at ${box?.y}`
}

describe('the first page', () => {
  it('says that the service is well, and makes a token that works', async () => {
    const found = await faults('/', async (page) => {
      await page.getByText('The service is up and its database answers.').waitFor()
      await page.getByRole('textbox', { name: 'User' }).fill('grace')
      await page.getByRole('button', { name: 'Make a token' }).click()
      await page.getByText('It is valid for a day.').waitFor()
      const token = await page.locator('#token').textContent()
      const answer = await fetch(`${origin}/v1/quota`, {
        headers: { Authorization: `Bearer ${token}` },
      })
      expect(answer.status).toBe(200)
    })
    expect(found).toEqual([])
  })

  it('says what is wrong when the service is not well, and offers no token', async () => {
    await faults('/', async (page) => {
      await page.route('**/health', (route) =>
        route.fulfill({
          status: 503,
          json: { detail: 'This service is not configured: JWT_SECRET is missing.' },
        }),
      )
      await page.reload()
      await page.getByText('JWT_SECRET is missing').waitFor()
      expect(await page.getByRole('button', { name: 'Make a token' }).isVisible()).toBe(false)
    })
  })
})

describe('the reference', () => {
  it('finds what is asked for with the keyboard, and scrolls to its heading', {
    tags: 'release',
  }, async () => {
    const found = await faults('/docs', async (page) => {
      const names = page.locator('#found .title')
      await page.keyboard.press('/')
      await page.keyboard.type('resume')
      await page.getByRole('option').first().waitFor()
      expect(await names.allTextContents()).toEqual(
        expect.arrayContaining(['startUpload', 'getUpload', 'presignParts', 'completeUpload']),
      )
      await page.getByRole('combobox', { name: 'Search' }).fill('quota_exceeded')
      await page.getByRole('option', { name: /^Error/ }).waitFor()
      expect(await names.first().textContent()).toBe('QUOTA_EXCEEDED')
      expect(await names.allTextContents()).toEqual(expect.arrayContaining(['startUpload', 'writeSave']))
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      expect(new URL(page.url()).hash).toBe('#createContent')
      await expect.poll(() => topOf(page, 'createContent')).toBe('in view')
    })
    expect(found).toEqual([])
  })

  it('shows the heading that a link names, also a link of an earlier release', {
    tags: 'release',
  }, async () => {
    const show = async (page: Page, id: string) => {
      await expect.poll(() => new URL(page.url()).hash).toBe(`#${id}`)
      await expect.poll(() => topOf(page, id)).toBe('in view')
    }
    await faults('/docs#completeUpload', async (page) => {
      await show(page, 'completeUpload')
      for (const [hash, id] of Object.entries({
        '#UPLOAD_MISMATCH': 'UPLOAD_MISMATCH',
        '#api/tag/uploads/POST/v1/uploads/{id}/complete': 'completeUpload',
        '#api/tag/game-assets': 'game-assets',
      })) {
        await page.goto(`${origin}/docs${hash}`)
        await show(page, id)
      }
    })
    await faults('/docs#tag/quota/GET/v1/quota', (page) => show(page, 'getQuota'))
  })

  it('keeps the language that was chosen, and makes a token that works', { tags: 'release' }, async () => {
    const found = await faults('/docs#listFiles', async (page) => {
      const example = page.locator('#getQuota .examples')
      expect(await example.getByRole('tabpanel').first().textContent()).toContain('client.quota.get()')
      await page.locator('#listFiles').getByRole('tab', { name: 'curl' }).click()
      await page.reload()
      expect(await example.getByRole('tabpanel', { name: 'curl' }).textContent()).toContain(
        `curl ${origin}/v1/quota`,
      )
      await page.getByRole('button', { name: 'Copy a token' }).click()
      await page.locator('#token').waitFor()
      const [, token] = (await page.locator('#token').textContent())?.split('=') ?? []
      const answer = await fetch(`${origin}/v1/quota`, { headers: { Authorization: `Bearer ${token}` } })
      expect(answer.status).toBe(200)
    })
    expect(found).toEqual([])
  })

  it('has what operators’ commands send under a heading of its own', async () => {
    await faults('/docs#operators/tag/events/POST/v1/events/resend', async (page) => {
      await page.getByRole('heading', { name: 'Operators’ commands' }).waitFor()
      await expect.poll(() => topOf(page, 'resendEvents')).toBe('in view')
    })
  })

  it('is whole without scripts, fits a phone, and has no fault that axe knows', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 375, height: 800 },
    })
    const page = await context.newPage()
    await page.goto(`${origin}/docs#completeUpload`)
    const { length } = await page.locator('#completeUpload .panel:visible').all()
    expect(length).toBe(3)
    await expect.poll(() => topOf(page, 'completeUpload')).toBe('in view')
    await context.close()
    const look = async (page: Page) => {
      expect(await isWiderThanTheWindow(page)).toBe(false)
      // All of the page would take axe half a minute: an entry of each kind stays.
      const kept = ['introduction', 'startUpload', 'socket-messages', 'LIMIT_REACHED']
      await page.locator('main').evaluate((main, ids) => {
        const parts = ids.map((id) => document.getElementById(id))
        for (const one of main.querySelectorAll('[id]'))
          if (!parts.some((part) => part?.contains(one) || one.contains(part))) one.remove()
      }, kept)
      for (const id of kept) expect(await page.locator(`[id="${id}"]`).innerText(), id).not.toBe('')
      expect(await violationsInBothThemes(page)).toEqual([])
    }
    await faults('/docs', look, 375)
  })
})

describe('the guides', () => {
  it('draw their diagrams, and fit a phone', { tags: 'release' }, async () => {
    const found = await faults(
      '/guides/notifications',
      async (page) => {
        await page.locator('.diagram svg').first().waitFor()
        expect(await page.locator('[data-diagram=text]').count()).toBe(0)
        expect(await isWiderThanTheWindow(page)).toBe(false)
      },
      375,
    )
    expect(found).toEqual([])
  })

  it('have an example in several languages, by keys too, and the next guide shows the one that was chosen', {
    tags: 'release',
  }, async () => {
    const found = await faults('/guides/saves', async (page) => {
      await page.getByRole('tab', { name: 'curl' }).first().click()
      expect(await page.getByText('The%20old%20mill').isVisible()).toBe(true)
      expect(await page.getByText('played_seconds: 3600').isVisible()).toBe(false)
      await page.keyboard.press('ArrowLeft')
      expect(await page.getByText('await ada.Saves.WriteAsync("manual-1"').isVisible()).toBe(true)
      const inCsharp = page
        .locator('[data-language=csharp]')
        .filter({ hasText: 'ada.Saves.WriteAsync("manual-1"' })
      expect(await inCsharp.locator('.printed').textContent()).toBe('manual-1 The old mill\n')
      await page.keyboard.press('Home')
      expect(await page.getByText('played_seconds: 3600').isVisible()).toBe(true)
      await page.keyboard.press('End')
      expect(await page.getByText('The%20old%20mill').isVisible()).toBe(true)
      await page.keyboard.press('ArrowLeft')
      await page.goto(`${origin}/guides/quota`)
      await page.getByRole('tab', { name: 'C#', selected: true }).first().waitFor()
    })
    expect(found).toEqual([])
  })

  it.each(['publishing', 'proofs'])(
    'shows the line of %s in the list of guides, and its own beginning',
    async (name) => {
      await faults(`/guides/${name}`, async (page) => {
        const line = page.locator('.side [aria-current]')
        const box = await line.boundingBox()
        expect(box && box.y > 0 && box.y + box.height <= 800, JSON.stringify(box)).toBe(true)
        expect(await page.evaluate('scrollY')).toBe(0)
      })
    },
  )

  it('mark the heading that is read, lead on within their group, and have no faults for axe in both themes', {
    tags: 'release',
  }, async () => {
    const found = await faults('/guides/saves', async (page) => {
      await page.getByRole('link', { name: 'Offline play', exact: true }).first().click()
      await page.locator('.outline [aria-current]', { hasText: 'Offline play' }).waitFor()
      expect(await violationsInBothThemes(page)).toEqual([])
      await page.locator('[rel=next]').click()
      await page.getByRole('heading', { name: 'When a patch broke the saves' }).waitFor()
    })
    expect(found).toEqual([])
  })

  it('lead to the console, and have its theme, which is kept from page to page and drawn into diagrams', {
    tags: 'release',
  }, async () => {
    const ground = 'getComputedStyle(document.body).backgroundColor'
    const found = await faults('/guides/uploads', async (page) => {
      const drawn = page.locator('[data-diagram] svg').first()
      await drawn.waitFor()
      const [light, diagram] = [await page.evaluate(ground), await drawn.innerHTML()]
      await page.getByRole('button', { name: 'Theme: system. Change it' }).click()
      await page.getByRole('button', { name: 'Theme: light. Change it' }).click()
      await expect.poll(() => drawn.innerHTML()).not.toBe(diagram)
      const dark = await page.evaluate(ground)
      expect(dark).not.toBe(light)
      await page.goto(`${origin}/docs`)
      expect(await page.evaluate(ground)).toBe(dark)
      await page.getByRole('link', { name: 'Console' }).click()
      await page.getByRole('button', { name: 'Theme: dark. Change it' }).first().waitFor()
      await page.evaluate("localStorage.removeItem('console theme')")
    })
    expect(found).toEqual([])
  })

  it('say at an address that no guide has that there is none; other requests get the API’s answer', {
    tags: 'release',
  }, async () => {
    const page = await browser.newPage()
    expect((await page.goto(`${origin}/guides/nothing`))?.status()).toBe(404)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('cloud save')
    await page.locator('.search li a').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cloud saves' }).waitFor()
    expect(await (await page.goto(`${origin}/v1/nothing`))?.json()).toMatchObject({ code: 'UNAUTHENTICATED' })
    await page.close()
    expect(await (await fetch(`${origin}/nothing`)).json()).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('are searched without a network: an error code leads to what to do about it', async () => {
    const found = await faults('/guides/', async (page) => {
      await page.getByRole('searchbox').fill('upload_mismatch')
      await page.locator('.search li a').first().waitFor()
      expect(await page.locator('.search li').first().textContent()).toContain('UPLOAD_MISMATCH')
      await page.getByRole('searchbox').press('Enter')
      await page.waitForURL(/\/guides\/\w[\w-]*#/)
      await page.getByRole('searchbox').fill('zzqx')
      await page.getByText('0 found').waitFor()
    })
    expect(found).toEqual([])
  })

  it('are found by the words that a game has for a save', async () => {
    const found = await faults('/guides/', async (page) => {
      for (const asked of ['save', 'cloud save', 'autosave', 'conflict', 'offline', 'slot', 'two devices']) {
        await page.getByRole('searchbox').fill(asked)
        const first = page
          .locator('.search li')
          .filter({ hasText: /^Cloud saves/ })
          .first()
        await first.waitFor()
        expect(await page.locator('.search li:nth-child(-n+3)').allTextContents(), asked).toContain(
          await first.textContent(),
        )
      }
    })
    expect(found).toEqual([])
  })

  it('are all there, and every link of every page leads to a page and a heading', () => {
    const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.html'),
    )
    expect(pages.length).toBeGreaterThan(15)
    const links = new Set<string>()
    for (const path of pages)
      for (const [, link = ''] of read(path).matchAll(/ (?:href|src)="([^"]+)"/g))
        links.add(link.startsWith('#') ? `/${path}${link}` : link)
    expect([...links].filter((link) => !isThere(link))).toEqual([])
  })
})

describe('the console', () => {
  /** The files that the page loads until a user is signed in and sees the screen with this heading. */
  async function filesLoaded(path: string, scope: string | undefined, heading: string): Promise<string[]> {
    const loaded = new Set<string>()
    const found = await faults(path, async (page) => {
      page.on('response', (response) => loaded.add(new URL(response.url()).pathname))
      await page.reload()
      const form = page.locator('form').filter({ hasText: 'Sign in as anybody' })
      if (scope) await form.getByText(scope).click()
      await form.getByLabel('User id').press('Enter')
      await page.getByRole('heading', { name: heading }).waitFor()
    })
    expect(found).toEqual([])
    return [...loaded].filter((one) => /^\/(console\/)?static\//.test(one))
  }

  const kibibytes = (paths: string[]) =>
    paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(out, path))).byteLength, 0) / 1_024

  it('costs a player at most 300 KiB, gzipped, until the files are shown, and an operator until their tools are', async () => {
    const player = await filesLoaded('/console/', undefined, 'Files')
    const operator = await filesLoaded('/console/operators', 'users:read', 'Operators')
    for (const loaded of [player, operator]) {
      expect(loaded).toEqual(expect.arrayContaining(['/console/static/index.js', '/static/figtree.woff2']))
      expect(loaded.some((path) => path.endsWith('.css'))).toBe(true)
      expect(kibibytes(['console/index.html', ...loaded])).toBeLessThanOrEqual(300)
    }
    const tools = '/console/static/operators-screen.js'
    expect([player.includes(tools), operator.includes(tools)]).toEqual([false, true])
  })

  it('styles each class in one file, as all files hold on every screen', () => {
    const sources = join(project, 'console/src')
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.css'),
    )
    const classes = files.flatMap((path) => {
      const rules = readFileSync(join(sources, path), 'utf8').matchAll(/^ *\.([\w-]+)(?= \{|,$)/gm)
      return [...new Set([...rules].map(([, name]) => name))]
    })
    expect(classes.length).toBeGreaterThan(200)
    expect(classes.filter((name, at) => classes.indexOf(name) !== at)).toEqual([])
  })
})

describe('every page', () => {
  it('has a policy that allows nothing foreign', async () => {
    for (const path of ['/', '/docs', '/guides/', '/guides/uploads']) {
      const policy = (await fetch(origin + path)).headers.get('Content-Security-Policy') ?? ''
      expect(policy, path).toContain("default-src 'none'")
      expect(policy, path).toContain("script-src 'self';")
      expect(policy, path).not.toMatch(/https?:|\*|unsafe-eval/)
    }
    expect((await fetch(`${origin}/favicon.ico`)).status).toBe(200)
  })
})

const read = (path: string) => readFileSync(join(out, path), 'utf8')

/** The ids in pages that links have led to, by the pages. */
const idsOf = new Map<string, Set<string>>()

function hasId(path: string, id: string): boolean {
  const ids =
    idsOf.get(path) ?? new Set([...read(path).matchAll(/ id="([^"]*)"/g)].map(([, one = '']) => one))
  idsOf.set(path, ids)
  return ids.has(id)
}

const served = ['/openapi.json', '/openapi.operators.json', '/asyncapi.json', '/health']

/** Whether a link of a built page leads to something that is served, and to a heading of it. */
function isThere(link: string): boolean {
  if (/^(https?|mailto):/.test(link) || served.includes(link)) return true
  const [path = '', anchor] = link.split('#')
  const file = [`${path}.html`, join(path, 'index.html'), path].find(isFile)?.slice(1)
  if (file === undefined) return false
  return anchor === undefined || hasId(file, decodeURIComponent(anchor))
}

const isFile = (path: string) => /\.\w+$/.test(path) && existsSync(join(out, path))
