import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Client } from '#client'
import { spreadOf, whyNoShards, whyNotServed } from '../../scripts/dev/spread.ts'
import { developmentToken } from '../../scripts/development.ts'
import { newId, partitionNumber, partitionOf } from '../support/exposed.ts'
import { clientOf } from './client.ts'
import { finished, Server } from './server.ts'

let server: Server

/** The players of the test, one in each third of the partitions. */
const users = [userIn(0), userIn(1), userIn(2)]

/** Gives each player a folder, in the only database of a server that is off. */
async function withFolders(state: string): Promise<void> {
  const folder = join(state, 'v3/d1/miniflare-D1DatabaseObject')
  const [file = ''] = (await readdir(folder)).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
  const database = new DatabaseSync(join(folder, file))
  for (const user of users) {
    database
      .prepare(
        `INSERT INTO usage (user_id, partition, default_limit_bytes, max_items, max_assets, max_public_assets, max_versions,
          max_open_uploads, max_ended_uploads, max_idempotency_keys) VALUES (?, ?, 1, 9, 9, 9, 9, 9, 9, 9)`,
      )
      .run(user, partitionOf(user))
    database
      .prepare(
        `INSERT INTO files (id, owner_id, name, asset_type, size_bytes, created_at, updated_at)
        VALUES (?, ?, 'from before', 'folder', 0, 1700000000, 1700000000)`,
      )
      .run(newId(user), user)
  }
  database.close()
}

interface Player {
  client: Client
  /** Which third of the partitions the player is in. */
  third: number
  content: string
  file_id: string
}

/** The first user id of a kind whose partition is in that third of all. */
function userIn(third: number): string {
  const [first, last] = [Math.ceil((third * 4_096) / 3), Math.ceil(((third + 1) * 4_096) / 3) - 1]
  for (let i = 0; ; i++) {
    const partition = partitionNumber(`player-${third}-${i}`)
    if (first <= partition && partition <= last) return `player-${third}-${i}`
  }
}

async function playerIn(third: number): Promise<Player> {
  const client = clientOf(server.url(), await developmentToken(userIn(third)))
  const content = `saved by the player in the third ${third}`
  const file = await client.files.upload({ content: new Blob([content]), name: 'slot-1.sav' })
  return { client, third, content, file_id: file.id }
}

/** Waits until the server says that it is running: when it has moved what is to be moved. */
async function untilItRuns(): Promise<void> {
  await expect.poll(() => server.output(), { timeout: 60_000 }).toContain('Edge game storage is running.')
}

const shards = () => finished(['scripts/shards.ts', '--port', String(server.port)])
const dev = (...options: string[]) => finished(['scripts/dev.ts', ...options])

// One test starts the server twice, and has all partitions moved each time.
describe('npm run dev -- --shards 3', { timeout: 240_000 }, () => {
  it('spreads what was there over three databases, and --shards 1 moves it back into one; nothing is lost', {
    tags: 'release',
  }, async () => {
    server = await Server.startOn(withFolders, '--shards', '3')
    onTestFinished(() => server.stop())
    await untilItRuns()
    const spread = await shards()
    for (const name of ['DB', 'DB_1', 'DB_2'])
      expect(spread.output).toMatch(new RegExp(`^${name}: 1 users`, 'm'))

    const players = await Promise.all([playerIn(0), playerIn(1), playerIn(2)])
    const [ada, bob, cem] = players
    if (!ada || !bob || !cem) throw new Error('three players were made')
    await ada.client.shares.create({ id: ada.file_id, grantee_id: userIn(1), permission: 'view' })
    const world = await cem.client.assets.upload({
      content: new Blob(['a castle']),
      asset_type: 'world',
      name: `castle-${crypto.randomUUID()}`,
    })
    await cem.client.assets.edit({ id: world.asset.id, visibility: 'public' })
    const branch = await bob.client.assets.branch({ id: world.asset.id, name: 'mine' })

    const expectAll = async () => {
      for (const { client, file_id, content } of players) {
        const { files } = await client.files.list().page()
        expect(files.map(({ name }) => name)).toEqual(['from before', 'slot-1.sav'])
        const { url } = await client.files.getUrl({ id: file_id })
        expect(await (await fetch(url)).text()).toBe(content)
      }
      const { shares } = await bob.client.shares.listSharedWithMe().page()
      expect(shares.map(({ file_id }) => file_id)).toEqual([ada.file_id])
      const { assets } = await ada.client.catalogue.list({ q: world.asset.name }).page()
      expect(assets.map(({ id }) => id)).toEqual([world.asset.id])
      const { url } = await bob.client.assets.getUrl({ id: branch.asset.id, version: 1 })
      expect(await (await fetch(url)).text()).toBe('a castle')
    }
    await expectAll()

    await server.kill('SIGINT')
    const { code, output } = await dev('--persist-to', server.state)
    expect(code, output).toBe(1)
    expect(output).toContain('npm run dev -- --shards 3')
    expect(output).toContain('npm run dev -- --shards 1')

    await server.resume({ options: ['--shards', '1'] })
    await untilItRuns()
    expect(server.output()).toContain('Everything is in one database again: npm run dev serves it')
    expect((await shards()).output).toMatch(/^DB: 3 users[\s\S]*^DB_1: 0 users[\s\S]*^DB_2: 0 users/m)
    await expectAll()
    // After moves of partitions rows and objects agree.
    const compared = await finished(['scripts/reconcile.ts', '--port', String(server.port)])
    expect(compared.output).toMatch(/^Rows and objects agree: \d+ looked at\.$/m)
    expect(compared.code).toBe(0)
    // Without the option it is served like any state of one database.
    expect(whyNotServed(spreadOf(server.state).shards, undefined)).toBeUndefined()
  })

  it('refuses a number of databases that is none', async () => {
    const { code, output } = await dev('--shards', 'many')
    expect(code).toBe(2)
    expect(output).toContain('--shards takes a number from 1 to 16.')
    for (const asked of [0, 17, 1.5]) expect(whyNoShards(asked)).toContain('from 1 to 16')
    for (const asked of [undefined, 1, 16]) expect(whyNoShards(asked)).toBeUndefined()
  })

  it.each([
    [3, undefined, false],
    [3, 2, false],
    [3, 3, true],
    [3, 4, true],
    [3, 1, true],
    [1, undefined, true],
  ])('of a state over %s databases with --shards %s is served: %s', (noted, asked, isServed) => {
    expect(whyNotServed(noted, asked) === undefined).toBe(isServed)
  })
})
