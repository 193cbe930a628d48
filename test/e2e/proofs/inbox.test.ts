import type { Browser } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
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
const cuts = amount || 6
const users = Math.min(8, Math.ceil(cuts / 15))

const server = await sharedServer('proofs')
let site: Site
let browser: Browser

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

const title = (runtime: string) =>
  `in ${runtime} misses nothing and tells nothing twice in ${cuts} cuts, and shows the list and the badge of the service`

async function survive(name: string, open: Open): Promise<void> {
  const origin = server.url()
  const figures = await surviveAll({ name, origin, cuts, users, seed, isLong: amount > 0, open })
  console.log(figures.join('\n'))
  expect(figures).toHaveLength(users)
}

it(title('Node'), () => survive('Node', openHere))

it(title('Chromium'), { tags: 'release' }, async () => {
  ;[site, browser] = await Promise.all([Site.serve('subject'), launchBrowser()])
  onTestFinished(async () => {
    await Promise.all([site.stop(), browser.close()])
  })
  await survive('Chromium', openInPage)
})
