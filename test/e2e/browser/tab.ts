import type { Page } from 'playwright-core'
import { faultsOf } from '../../../scripts/browser.ts'

/** What the script of a page sets as `globalThis.acts`: functions of one argument, which is JSON like the result. */
type Offered = Record<string, (argument: never) => unknown>

/** A page in a browser, whose script offers `Acts`. It may talk to its own origin and to `origins`, and to no other. */
export class Tab<Acts extends Offered> {
  readonly page: Page
  /** What has gone wrong so far: uncaught errors, errors in the console, requests to other origins. */
  readonly faults: string[]

  private constructor(page: Page, faults: string[]) {
    this.page = page
    this.faults = faults
  }

  static async open<Acts extends Offered>(
    browser: { newPage(): Promise<Page> },
    url: string,
    origins: string[],
  ): Promise<Tab<Acts>> {
    const page = await browser.newPage()
    const faults = faultsOf(page, [new URL(url).origin, ...origins])
    await page.goto(url)
    return new Tab<Acts>(page, faults)
  }

  /** Calls a function of the page's script. @throws Error with what it throws */
  call<Name extends keyof Acts & string>(
    name: Name,
    argument: Parameters<Acts[Name]>[0],
  ): Promise<Awaited<ReturnType<Acts[Name]>>> {
    return this.page.evaluate(`acts.${name}(${JSON.stringify(argument)})`)
  }
}
