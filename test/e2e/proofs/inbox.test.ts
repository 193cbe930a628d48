import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../../../scripts/browser.ts'
import { Site } from '../browser/site.ts'
import type { SubjectActs } from '../browser/subject.ts'
import { Tab } from '../browser/tab.ts'
import { sharedServer } from '../shared-servers.ts'
import { Subject } from './inbox/subject.ts'
import type { Open } from './inbox/trial.ts'
import { surviveAll } from './inbox/trials.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const cuts = amount || 8
const users = Math.min(8, Math.ceil(cuts / 15))

const server = await sharedServer('proofs')
let site: Site
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([Site.serve('subject'), launchBrowser()])
})
afterAll(() => Promise.all([site.stop(), browser.close()]))

const openHere: Open = async ({ baseUrl, tokens, random }) => {
  const subject = new Subject({ baseUrl, random, token: (request) => tokens.get(request) })
  await subject.ready()
  return subject
}

/** Connections that were cut, tokens that have expired, and a notification that the second device has deleted before. */
const isExpected = /net::ERR_|WebSocket connection to .* failed|a status of 40[14]/

const openInPage: Open = async ({ baseUrl, tokens, random }) => {
  const tab = await Tab.open<SubjectActs>(browser, site.page('subject'), [baseUrl])
  await tab.page.exposeFunction('tokenOf', (request: { renew: boolean }) => tokens.get(request))
  await tab.call('open', { baseUrl, seed: Math.floor(random() * 2 ** 31) })
  return {
    report: () => tab.call('report', undefined),
    change: (wanted) => tab.call('change', wanted),
    close: async () => {
      expect(tab.faults.filter((fault) => !isExpected.test(fault))).toEqual([])
      await tab.page.close()
    },
  }
}

it.each([
  ['Node', openHere],
  ['Chromium', openInPage],
])(
  `in %s misses nothing and tells nothing twice in ${cuts} cuts, and shows the list and the badge of the service`,
  async (runtime, open) => {
    const figures = await surviveAll({
      name: runtime,
      origin: server.url(),
      cuts,
      users,
      seed,
      isLong: amount > 0,
      open,
    })
    console.log(figures.join('\n'))
    expect(figures).toHaveLength(users)
  },
)
