import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#client'
import { developmentToken } from '../../scripts/development.ts'
import { bucketOf } from '../../src/db/id.ts'
import { clientOf } from './client.ts'
import { finished, Server } from './server.ts'

let server: Server

beforeAll(async () => {
  server = await Server.start()
})
afterAll(() => server.stop())

interface Player {
  client: Client
  /** Which third of the buckets the player is in. */
  third: number
  content: string
  file_id: string
}

/** The first user id of a kind whose bucket is in that third of all. */
function userIn(third: number): string {
  const [first, last] = [Math.ceil((third * 4_096) / 3), Math.ceil(((third + 1) * 4_096) / 3) - 1]
  for (let i = 0; ; i++) {
    const bucket = bucketOf(`player-${third}-${i}`)
    if (first <= bucket && bucket <= last) return `player-${third}-${i}`
  }
}

async function playerIn(third: number): Promise<Player> {
  const client = clientOf(server.url(), await developmentToken(userIn(third)))
  const content = `saved by the player in the third ${third}`
  const { file } = await client.upload(new Blob([content]), { name: 'slot-1.sav' })
  return { client, third, content, file_id: file.id }
}

/** Starts the server anew on its state, with these options, and waits until it says that it is running. */
async function restart(...options: string[]): Promise<void> {
  await server.kill('SIGINT')
  await server.resume({ options })
  await expect.poll(() => server.output(), { timeout: 60_000 }).toContain('Edge game storage is running.')
}

const shards = () => finished(['scripts/shards.ts', '--port', String(server.port)])
const dev = (...options: string[]) => finished(['scripts/dev.ts', '--persist-to', server.state, ...options])

// It starts the server four times, and has all buckets moved twice.
describe('npm run dev -- --shards 3', { timeout: 240_000 }, () => {
  it('spreads what was there over three databases, and --shards 1 moves it back into one; nothing is lost', async () => {
    const players = await Promise.all([playerIn(0), playerIn(1), playerIn(2)])
    const [ada, bob, cem] = players
    if (!ada || !bob || !cem) throw new Error('three players were made')
    await ada.client.createShare({ id: ada.file_id, grantee_id: userIn(1), permission: 'view' })
    const world = await cem.client.upload(new Blob(['a castle']), {
      upload_type: 'game_asset',
      asset_type: 'world',
      name: `castle-${crypto.randomUUID()}`,
    })
    await cem.client.editAsset({ id: world.asset.id, visibility: 'public' })
    const branch = await bob.client.branchAsset({ id: world.asset.id, name: 'mine' })

    const expectAll = async () => {
      for (const { client, file_id, content } of players) {
        const { url } = await client.getDownloadUrl({ id: file_id })
        expect(await (await fetch(url)).text()).toBe(content)
      }
      const { shares } = await bob.client.listSharedWithMe().page()
      expect(shares.map(({ file_id }) => file_id)).toEqual([ada.file_id])
      const { assets } = await ada.client.browseAssets({ q: world.asset.name }).page()
      expect(assets.map(({ id }) => id)).toEqual([world.asset.id])
      const { url } = await bob.client.getVersionUrl({ id: branch.asset.id, version: 1 })
      expect(await (await fetch(url)).text()).toBe('a castle')
    }
    await expectAll()

    await restart('--shards', '3')
    await expectAll()
    const spread = await shards()
    expect(spread.output).toMatch(/^DB: 1 users/m)
    expect(spread.output).toMatch(/^DB_1: 1 users/m)
    expect(spread.output).toMatch(/^DB_2: 1 users/m)
    // After moves of buckets, what was put elsewhere is there, and rows and objects agree.
    const compared = await finished(['scripts/reconcile.ts', '--port', String(server.port)])
    expect(compared.output).toMatch(/^Rows and objects agree: \d+ looked at\.$/m)
    expect(compared.code).toBe(0)
    const after = await playerIn(1)
    expect(after.content).toBe(bob.content)

    await server.kill('SIGINT')
    for (const options of [[], ['--shards', '2']]) {
      const { code, output } = await dev(...options)
      expect(code, output).toBe(1)
      expect(output).toContain('npm run dev -- --shards 3')
      expect(output).toContain('npm run dev -- --shards 1')
    }

    await restart('--shards', '1')
    expect(server.output()).toContain('Everything is in one database again')
    await restart()
    await expectAll()
    expect((await shards()).output).toMatch(/^DB: 3 users/m)
  })

  it.each(['0', '17', 'many'])('refuses %s databases', async (count) => {
    const { code, output } = await dev('--shards', count)
    expect(code).toBe(2)
    expect(output).toContain('--shards takes a number from 1 to 16.')
  })
})
