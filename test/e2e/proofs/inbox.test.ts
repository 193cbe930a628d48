import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, createClient } from '#client'
import { launchBrowser } from '../../../scripts/browser.ts'
import { developmentToken } from '../../../scripts/development.ts'
import { Site } from '../browser/site.ts'
import type { SubjectActs } from '../browser/subject.ts'
import { Tab } from '../browser/tab.ts'
import { sharedServer } from '../shared-servers.ts'
import type { Game } from './inbox/game.ts'
import { Subject } from './inbox/subject.ts'
import { type Open, survive } from './inbox/trial.ts'

const seed = Number(process.env.PROVE_SEED ?? 20_261_121)
const amount = Number(process.env.PROVE_AMOUNT ?? 0)
const cuts = amount || 8
/** So many inboxes share the cuts: one user may make only so many requests a minute. */
const users = Math.min(8, Math.ceil(cuts / 15))

const server = await sharedServer('proofs')
let site: Site
let browser: Browser
let social: Client<Game>

beforeAll(async () => {
  ;[site, browser] = await Promise.all([Site.serve('subject'), launchBrowser()])
  const token = await developmentToken('social', { scope: 'notifications:publish announcements:publish' })
  social = createClient<Game>({ baseUrl: server.url(), token })
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
    const trials = Array.from({ length: users }, (_, index) =>
      survive({
        user: `ada-${runtime}-${seed}-${index}`,
        origin: server.url(),
        social,
        cuts: Math.ceil(cuts / users),
        pace_ms: users * 12, // a service may publish 100 a second
        seed: seed + index * 7_919,
        isActive: index % 2 === 1,
        isAnnounced: index === 0,
        overflow: amount && index === 0 ? 50 : 0,
        open,
      }),
    )
    const figures = await Promise.all(trials)
    console.log(figures.join('\n'))
    expect(figures).toHaveLength(users)
  },
)
