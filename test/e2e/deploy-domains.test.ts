/** @module-tag release */
import { afterEach, describe, expect, it } from 'vitest'
import { configurationOf } from '../../scripts/deploy/configuration.ts'
import { readSettings } from '../../scripts/deploy/settings.ts'
import { changesIn, Studio, settings } from './deploy/run.ts'
import type { Account } from './deploy/stand-in.ts'

const secrets = { S3_ACCESS_KEY_ID: 'an-id', S3_SECRET_ACCESS_KEY: 'a-key' }
const zone = { id: 'z1', name: 'game.example', status: 'active' }
const domainOf = (service: string, hostname = 'storage.game.example') => ({
  id: `id-of-${hostname}`,
  hostname,
  service,
})

let studio: Studio

async function withDomain(more: object = {}, account: Partial<Account> = {}): Promise<void> {
  studio = await Studio.with({ ...settings, domain: 'storage.game.example', ...more })
  studio.change((before) => ({ ...before, zones: [zone], ...account }))
}
afterEach(() => studio?.end())

describe('the domains of a deployment', () => {
  it('are refused when one is another Worker’s, by its name, before anything is changed', async () => {
    await withDomain({ domain: ['storage.game.example', 'files.game.example'] })
    const others = ['a', 'b', 'c'].map((name) => domainOf('other', `${name}.game.example`))
    studio.change((account) => ({
      ...account,
      domains: [...others, domainOf('the-website', 'files.game.example')],
    }))
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('files.game.example is a domain of the Worker the-website.')
    expect(run.code).toBe(1)
    expect(changesIn(run)).toEqual([])
    expect(studio.account.domains).toContainEqual(domainOf('the-website', 'files.game.example'))
  })

  it('are refused when the Worker has one that the settings lack, which the deployment would remove', async () => {
    await withDomain()
    studio.change((account) => ({
      ...account,
      domains: [domainOf(studio.name), domainOf(studio.name, 'old.game.example')],
    }))
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toMatch(/old\.game\.example is a domain of deploy-test-\w+, and \S+ lacks it/)
    expect(run.output).toContain('workers/domains/id-of-old.game.example')
    expect(run.code).toBe(1)
    expect(changesIn(run)).toEqual([])
  })

  it.each<[string, Partial<Account>, object, string]>([
    [
      'a DNS record',
      { records: [{ zone: 'z1', type: 'CNAME', name: 'storage.game.example', content: 'www.game.example' }] },
      {},
      'storage.game.example has DNS records, which the deployment would replace: CNAME www.game.example.',
    ],
    ['no zone', { zones: [] }, {}, 'No zone of the account'],
    ['no zone of this name', {}, { zone: 'storage.game.example' }, 'there is no zone storage.game.example'],
    [
      'a zone that waits',
      { zones: [{ ...zone, status: 'pending' }] },
      {},
      'The zone game.example is pending',
    ],
    [
      'records that nobody may read',
      { mayReadRecords: false },
      {},
      'may not read the DNS records of game.example',
    ],
  ])('are refused when a new one has %s', async (_, account, more, reason) => {
    await withDomain(more, account)
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain(reason)
    expect(run.code).toBe(1)
    expect(changesIn(run)).toEqual([])
  })

  it('are taken when they are free, or the Worker’s already, whose DNS record is the platform’s', async () => {
    const text = { zone: 'z1', type: 'TXT', name: 'storage.game.example', content: 'a note' }
    await withDomain({ domain: ['storage.game.example', 'files.game.example'] }, { records: [text] })
    studio.change((account) => ({
      ...account,
      domains: [domainOf(studio.name, 'files.game.example')],
      routes: [
        { zone: 'z1', pattern: '*game.example/*', script: 'the-website' },
        { zone: 'z1', pattern: 'https://files.game.example/raw/*' },
        { zone: 'z1', pattern: 'www.game.example/*', script: 'the-website' },
      ],
      records: [
        ...account.records,
        { zone: 'z1', type: 'AAAA', name: 'files.game.example', content: '100::' },
      ],
    }))
    const run = await studio.deploy(['--dry-run'])
    expect(run.output).toContain('storage.game.example is free in the zone game.example')
    expect(run.output).toContain("files.game.example is the Worker's already")
    expect(run.output.match(/Attention: .*/g)).toEqual([
      'Attention: the route *game.example/* gives requests of storage.game.example to the-website first.',
      'Attention: the route *game.example/* gives requests of files.game.example to the-website first.',
      'Attention: the route https://files.game.example/raw/* gives requests of files.game.example to no Worker first.',
    ])
    expect(run.output).toContain('waits until https://files.game.example is ready')
    expect(run.code, run.output).toBe(0)
  })

  it('may be several, with a zone that holds them', async () => {
    await withDomain({ domain: ['storage.game.example', 'files.game.example'], zone: 'game.example' })
    expect(configurationOf(readSettings(studio.settings))).toMatchObject({
      workers_dev: false,
      routes: [
        { pattern: 'storage.game.example', custom_domain: true, zone_name: 'game.example' },
        { pattern: 'files.game.example', custom_domain: true, zone_name: 'game.example' },
      ],
    })
  })

  it.each([
    [{ zone: 'other.example' }, 'zone: does not hold storage.game.example'],
    [{ zone: 'game.example', domain: undefined }, 'zone: needs a domain'],
    [{ domain: ['a.game.example', 'a.game.example'] }, 'domain: '],
  ])('are refused with %j', async (wrong, reason) => {
    await withDomain(wrong)
    expect(() => readSettings(studio.settings)).toThrow(reason)
  })
})

const immediately = '--durable-objects-code-update-mode immediate'

describe('a deployment whose domains fail after the upload', () => {
  it('says that the new code is live, and how to go back', {
    timeout: 90_000 /* two deployments */,
  }, async () => {
    await withDomain()
    const triggersFail = 'The zone is locked. [code: 100116]'
    studio.change((account) => ({ ...account, triggersFail }))
    const first = await studio.deploy(['--skip-probe'], secrets)
    expect(first.output).toContain(triggersFail)
    expect(first.output).toContain('The new code is live already: version version-1')
    expect(first.output).toContain(`npx wrangler delete --name ${studio.name}`)
    expect(first.output).not.toContain('goes on serving')

    const second = await studio.deploy(['--skip-probe'], secrets)
    expect(second.output).toContain('The new code is live already: version version-2')
    expect(second.output).toContain(`npx wrangler rollback version-1 --name ${studio.name} ${immediately}`)
    expect(second.code).toBe(1)
  })

  it('says that nobody knows which version serves when the network is gone', async () => {
    await withDomain()
    const serving = { id: 'version-7', variables: {} }
    studio.change((account) => ({ ...account, serving, isLostAfterUpload: true }))
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('fetch failed')
    expect(run.output).toContain('Whether the new code serves is not known')
    expect(run.output).toContain(`npx wrangler deployments status --name ${studio.name}`)
    expect(run.output).toContain(`npx wrangler rollback version-7 --name ${studio.name} ${immediately}`)
    expect(run.output).not.toContain('goes on serving')
    expect(run.code).toBe(1)
  })

  it('says that the version before serves when nothing was uploaded', async () => {
    await withDomain()
    studio.change((account) => ({ ...account, fails: { 'deploy --config': 'The upload failed.' } }))
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('The Worker that was deployed before goes on serving.')
    expect(run.output).not.toContain('live already')
  })
})
