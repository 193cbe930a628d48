import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../../scripts/browser.ts'

let starting: Promise<Browser> | undefined

/**
 * The browser that files share which run one after another in a process, since each start takes seconds. It ends with the
 * process. A file closes what it has opened.
 */
export function sharedBrowser(): Promise<Browser> {
  starting ??= launchBrowser()
  return starting
}
