import type { Browser, Locator, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { faultsOf } from '../../../scripts/browser.ts'
import { sharedBrowser } from '../browser/shared-browser.ts'
import { sharedOrigin } from '../browser/shared-server.ts'
import { violationsIn } from '../browser/violations.ts'
import { leaveWindow, newWindow, takeWindow } from '../browser/windows.ts'

/** The console of the server and in the browser that files share. */
export class Console {
  /** Where the server is reached. */
  readonly origin = sharedOrigin()
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Console> {
    return new Console(await sharedBrowser())
  }

  /** Opens the console in a window of its own, which shares nothing with others, until the test has ended. */
  async open({
    width = 1_280,
    height = 800,
    theme = 'light' as 'light' | 'dark',
    /** Where this window reaches the server. */
    origin = this.origin,
    /** Whether it is one that no test has used, and that none will: for tests of its cache, or that change it for good. */
    isNew = false,
  } = {}): Promise<ConsolePage> {
    const isOwn = isNew || origin !== this.origin
    const page = await (isOwn ? newWindow(this.#browser) : takeWindow(this.#browser))
    await page.setViewportSize({ width, height })
    // With motion, axe would see colours that are halfway to another.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const faults = faultsOf(page, [origin])
    onTestFinished(async ({ task }) => {
      const isFailed = task.result?.state === 'fail'
      if (isFailed) {
        const shown = await page.locator('body').innerText({ timeout: 5_000 })
        console.error(`The page showed:\n${shown}\nIts faults: ${faults.join('\n')}`)
      }
      // A request that a handler of the test still answers ends with the window, and that is no failure of the test.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      // A window that stays on its page goes on working.
      await (isOwn || isFailed ? page.context().close() : leaveWindow(page, origin))
    })
    await page.goto(`${origin}/console/`)
    return new ConsolePage(page, faults)
  }
}

/** A window with the console. */
export class ConsolePage {
  readonly page: Page
  /** What has gone wrong so far: uncaught errors, errors in the console, requests to other hosts. */
  readonly faults: string[]

  constructor(page: Page, faults: string[]) {
    this.page = page
    this.faults = faults
  }

  /** Signs in as a new user, with these scopes, in the first pane that asks for it. Returns the pane. */
  async signIn({ user_id = newUser(), scopes = [] as string[] } = {}): Promise<Locator> {
    // The pane and not the form: the form of the second pane may be there before that of the first.
    const asking = this.page.getByRole('region', { name: /^Pane \d$/ }).first()
    const form = asking.locator('form').filter({ hasText: 'Sign in as anybody' })
    for (const scope of scopes) await form.getByText(scope).click()
    const field = form.getByLabel('User id')
    await field.fill(user_id)
    await field.press('Enter') // in a second pane, a notice may lie on the button for seconds
    const pane = this.page.getByRole('region', { name: `Signed in as ${user_id}` })
    await pane.waitFor()
    return pane
  }

  /** Opens a second pane. */
  async addPane(): Promise<void> {
    await this.page.getByRole('button', { name: 'Second user' }).click()
  }

  /** Turns the Developer view on. With a pane, opens its list of requests, too. */
  async showDeveloperView(pane?: Locator): Promise<void> {
    await this.page.getByRole('button', { name: 'Developer view', pressed: false }).click()
    await pane?.getByRole('button', { name: 'Show the requests' }).click()
  }

  async hideDeveloperView(): Promise<void> {
    await this.page.getByRole('button', { name: 'Developer view', pressed: true }).click()
  }

  /** Drops files and folders of this machine on an element, as a person does from a file manager. */
  async drop(target: Locator, files: string[]): Promise<void> {
    const box = await target.boundingBox()
    if (!box) throw new Error('There is nothing to drop on.')
    const at = { x: box.x + box.width / 2, y: box.y + box.height - Math.min(20, box.height / 2) }
    const session = await this.page.context().newCDPSession(this.page)
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', {
        type,
        ...at,
        data: { items: [], files, dragOperationsMask: 1 },
      })
  }

  /** What axe-core finds of serious or critical impact in what is shown now: rule and elements. */
  violations(): Promise<string[]> {
    return violationsIn(this.page)
  }

  async isWiderThanWindow(): Promise<boolean> {
    return this.page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  }
}

/** A user id that no other test has. */
export function newUser(name = 'ada'): string {
  return `${name}-${crypto.randomUUID().slice(0, 8)}`
}
