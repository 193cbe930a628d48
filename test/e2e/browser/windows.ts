import type { Browser, Page } from 'playwright-core'

/** The window that the last test has left. */
let left: Page | undefined

/**
 * A window that shares nothing with others that are open. It may be one that an earlier test has left: its renderer has the code
 * of the pages compiled, and opens them for half of the CPU time of a new one.
 */
export async function takeWindow(browser: Browser): Promise<Page> {
  const page = left
  left = undefined
  return page ?? newWindow(browser)
}

/** A window that no test has used. */
export async function newWindow(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage()
}

/** What tests listen to. */
const EVENTS = ['console', 'download', 'pageerror', 'request', 'response', 'websocket']

/** Leaves a window for the next test as a new one would be: with nothing that is stored, cached or allowed for this origin. */
export async function leaveWindow(page: Page, origin: string): Promise<void> {
  const context = page.context()
  if (left || context.pages().length !== 1) return context.close()
  for (const event of EVENTS) page.removeAllListeners(event)
  await context.clearPermissions()
  await context.setOffline(false)
  await page.mouse.move(0, 0)
  await page.goto(`${origin}/health`) // of the same origin, which keeps the renderer
  await page.evaluate('sessionStorage.clear()')
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.send('Network.clearBrowserCache')
  await session.detach()
  left = page
}
