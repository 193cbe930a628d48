import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../scripts/browser.ts'
import { sharedBrowser } from './browser/shared-browser.ts'
import { sharedOrigin } from './browser/shared-server.ts'
import { project } from './citations.ts'
import { ConsolePage } from './console/console.ts'

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
  it('shows the operations offline, and sends a request with a token of development that is filled in', async () => {
    // The link of a release with one description.
    const found = await faults('/docs#tag/quota/GET/v1/quota', async (page) => {
      expect(new URL(page.url()).hash).toBe('#api/tag/quota/GET/v1/quota')
      await page.getByRole('heading', { name: 'Get the caller’s used and available storage' }).waitFor()
      await page.getByRole('button', { name: 'Test Request' }).first().click()
      await page.getByRole('button', { name: 'Send' }).first().click()
      await page.getByText('200 OK').first().waitFor()
    })
    expect(found).toEqual([])
  })

  it('has what operators’ commands send under a heading of its own', async () => {
    const found = await faults('/docs', async (page) => {
      await page.getByRole('button', { name: 'Games and services' }).first().click()
      await page.getByText('Operators’ commands').first().click()
      await page.getByRole('heading', { name: 'Edge game storage for operators' }).waitFor()
      await page.getByRole('heading', { name: 'Databases' }).first().waitFor()
      expect(await page.getByRole('heading', { name: 'Trash' }).count()).toBe(0)
    })
    expect(found).toEqual([])
    await faults('/docs#operators/tag/events/POST/v1/events/resend', async (page) => {
      await page.getByRole('heading', { name: 'Send events again' }).waitFor()
    })
  })
})

describe('the guides', () => {
  it('draw their diagrams, and fit a phone', async () => {
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

  it('have an example in several languages, by keys too, and the next guide shows the one that was chosen', async () => {
    const found = await faults('/guides/saves', async (page) => {
      await page.getByRole('tab', { name: 'curl' }).first().click()
      expect(await page.getByText('The%20old%20mill').isVisible()).toBe(true)
      expect(await page.getByText('playedSeconds').isVisible()).toBe(false)
      await page.keyboard.press('ArrowRight')
      expect(await page.getByText('yield return saves.Write').isVisible()).toBe(true)
      await page.keyboard.press('Home')
      expect(await page.getByText('playedSeconds').isVisible()).toBe(true)
      await page.keyboard.press('End')
      await page.goto(`${origin}/guides/quota`)
      await page.getByRole('tab', { name: 'C#', selected: true }).waitFor()
    })
    expect(found).toEqual([])
  })

  it('mark the heading that is read, lead on within their group, and have no faults for axe in both themes', async () => {
    const found = await faults('/guides/saves', async (page) => {
      await page.getByRole('link', { name: 'Offline play', exact: true }).first().click()
      await page.locator('.outline [aria-current]', { hasText: 'Offline play' }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await new ConsolePage(page, []).violations()).toEqual([])
      }
      await page.locator('[rel=next]').click()
      await page.getByRole('heading', { name: 'Saves over time' }).waitFor()
    })
    expect(found).toEqual([])
  })

  it('say at an address that no guide has that there is none; other requests get the API’s answer', async () => {
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
    const links = pages.flatMap((path) =>
      [...read(path).matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) =>
        link.startsWith('#') ? `/${path}${link}` : link,
      ),
    )
    expect([...new Set(links)].filter((link) => !isThere(link))).toEqual([])
  })
})

describe('the console', () => {
  it('has at most 250 KiB of scripts, gzipped', () => {
    const scripts = readdirSync(join(out, 'console/static')).filter((name) => name.endsWith('.js'))
    expect(scripts).not.toEqual([])
    const bytes = scripts.map((name) => gzipSync(read(`console/static/${name}`)).byteLength)
    expect(bytes.reduce((sum, one) => sum + one, 0) / 1_024).toBeLessThanOrEqual(250)
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

function read(path: string): string {
  return readFileSync(join(out, path), 'utf8')
}

const served = ['/openapi.json', '/openapi.operators.json', '/asyncapi.json', '/health']

/** Whether a link of a built page leads to something that is served, and to a heading of it. */
function isThere(link: string): boolean {
  if (/^(https?|mailto):/.test(link) || served.includes(link)) return true
  const [path = '', anchor] = link.split('#')
  const file = [`${path}.html`, join(path, 'index.html'), path].find(isFile)?.slice(1)
  if (file === undefined) return false
  return anchor === undefined || read(file).includes(` id="${decodeURIComponent(anchor)}"`)
}

const isFile = (path: string) => /\.\w+$/.test(path) && existsSync(join(out, path))
