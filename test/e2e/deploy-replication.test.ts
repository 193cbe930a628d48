/** @module-tag release */
import { afterEach, describe, expect, it } from 'vitest'
import { changesIn, Studio, settings } from './deploy/run.ts'
import { type Account, databaseOf } from './deploy/stand-in.ts'

const secrets = { S3_ACCESS_KEY_ID: 'an-id', S3_SECRET_ACCESS_KEY: 'a-key' }
const bindings = ['DB', 'DB_1', 'CATALOG']
const nameOf = (binding: string) => `game-${binding}`

let studio: Studio

/** Databases exist, the first one with replicas. */
async function withReplication(
  mode: string | null | undefined,
  account: Partial<Account> = {},
): Promise<void> {
  const databases = bindings.map((binding) => ({ binding, name: nameOf(binding) }))
  studio = await Studio.with({ ...settings, databases, read_replication: mode })
  const existing = databases.map(({ name }) => databaseOf(name))
  const [first, ...others] = existing.map((one) => ({ ...one, read_replication: { mode: 'disabled' } }))
  const on = first && [{ ...first, read_replication: { mode: 'auto' } }]
  studio.change((before) => ({ ...before, databases: [...(on ?? []), ...others], ...account }))
}
afterEach(() => studio?.end())

const modes = () => studio.account.databases.map(({ read_replication }) => read_replication?.mode)

describe('read replication', () => {
  it('is turned on where it is off, for the catalogue too, between migrations and Worker', async () => {
    await withReplication(undefined)
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run).toMatchObject({
      code: 0,
      output: expect.stringContaining('read replication on for game-CATALOG'),
    })
    expect(run.output).not.toContain('read replication on for game-DB\n')
    const order = changesIn(run).flatMap(
      (call) => /^(d1 migrations apply \w+|api PUT \S+|deploy)/.exec(call)?.[1] ?? [],
    )
    expect(order).toEqual([
      ...bindings.map((binding) => `d1 migrations apply ${binding}`),
      'api PUT game-DB_1',
      'api PUT game-CATALOG',
      'deploy',
    ])
    expect(modes()).toEqual(['auto', 'auto', 'auto'])
  })

  it('is turned off with "disabled", where it is on', async () => {
    await withReplication('disabled')
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run.output).toContain('turns read replication off, which takes up to 24 hours, for game-DB\n')
    expect(changesIn(run).filter((call) => call.startsWith('api '))).toEqual([
      'api PUT game-DB {"read_replication":{"mode":"disabled"}}',
    ])
    expect(run.code).toBe(0)
  })

  it('is neither read nor changed with null', async () => {
    await withReplication(null, { replicationFails: 'broken' })
    const run = await studio.deploy(['--skip-probe'], secrets)
    expect(run).toMatchObject({
      code: 0,
      output: expect.stringContaining('left as it is: the setting is null'),
    })
    expect(modes()).toEqual(['auto', 'disabled', 'disabled'])
  })

  it.each([
    ['forbidden', 'The login needs the right Account: D1: Edit.'],
    ['broken', 'answered 500: internal error [code: 7500]'],
    ['ignored', 'game-DB_1 still has the mode disabled'],
  ] as const)(
    'that can’t be changed (%s) stops the deployment before the Worker, and says what to do',
    async (replicationFails, reason) => {
      await withReplication('auto', { replicationFails })
      const run = await studio.deploy(['--skip-probe'], secrets)
      expect(run.output).toContain(reason)
      expect(run.output).toContain('the Worker that was deployed before goes on serving')
      expect(run.output).toContain('write "read_replication": null into')
      expect(run.code).toBe(1)
      expect(changesIn(run).filter((call) => call.startsWith('deploy'))).toEqual([])
    },
  )
})
