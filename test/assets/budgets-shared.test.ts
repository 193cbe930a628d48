import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { countOf, databaseOf, homeOf } from '../support/databases.ts'
import { meter } from '../support/meter.ts'
import { runEach } from '../support/objects.ts'
import { seedAssets, seededAsset } from '../support/seed.ts'

const { service, of } = meter()
let ada: Creator
let others: Creator

beforeAll(async () => {
  ada = await signUpCreator('ada', service)
  others = await signUpCreator('others', service)
  while (homeOf(others.id) !== homeOf(ada.id)) others = await signUpCreator('others', service)
})

/** Branches of others, in the same database, of an asset's first version. */
async function seedBranches(source: string, prefix: string, count: number): Promise<void> {
  await seedAssets({
    owner_id: others.id,
    prefix,
    branched_from: source,
    visibility: 'private',
    from: count,
    to: 2 * count - 1,
  })
  await databaseOf(source)
    .prepare(
      `INSERT INTO asset_versions (asset_id, version, id, size_bytes, mime_type, object_key, branched_from_asset_id, branched_from_version, created_at)
      SELECT branch.id, 1, 'version of ' || branch.id, size_bytes, mime_type, object_key, asset_id, 1, 1700000000
      FROM game_assets AS branch JOIN asset_versions ON asset_id = ?1 AND asset_versions.version = 1
      WHERE branch.branched_from_asset_id = ?1`,
    )
    .bind(source)
    .run()
}

/** What a change costs, which has to work. */
async function cost(send: () => Promise<Answer>): Promise<number> {
  const { rows_read } = await of(async () => {
    const { status, text } = await send()
    expect(status, text).toBeLessThan(300)
  })
  return rows_read
}

describe.each([10, 10_000])('content that %i branches of others share', (count) => {
  it('is looked up in the same few rows, whatever comes or goes, the last of its own at the end', async () => {
    const source = await ada.asset(`shared by ${count}`, { visibility: 'public' }, 'castle')
    await seedBranches(source.id, `by-${count}`, count)
    const purge = (owner: Creator, asset: { id: string }) => owner.deleteAsset(asset, '?permanent=true')
    const someBranch = { id: seededAsset(others.id, `by-${count}`, count + 5) }
    const costs: Record<string, number> = {}
    costs['roll back'] = await cost(() => ada.rollBack(source, { from_version: 1 }))
    const own = await ada.branched(source, `own branch ${count}`)
    costs['another of the owner'] = await cost(() => ada.branch(own.asset, { name: `another ${count}` }))
    costs['purge a branch'] = await cost(() => purge(others, someBranch))
    costs['purge an asset, while another of the owner has it'] = await cost(() => purge(ada, source))
    const { assets } = await ada.assets('/assets?limit=10')
    const left = assets.filter(({ name }) => name.endsWith(` ${count}`))
    expect(left.length).toBe(2)
    for (const asset of left) costs[`purge ${asset.name}`] = await cost(() => purge(ada, asset))
    console.log(`${count} branches, rows read: ${JSON.stringify(costs)}`)
    for (const [what, rows_read] of Object.entries(costs)) expect(rows_read, what).toBeLessThanOrEqual(60)
    const queued = await countOf(
      `garbage JOIN asset_versions USING (object_key) WHERE is_version = 1 AND asset_id LIKE ?`,
      seededAsset(others.id, `by-${count}`, count),
    )
    expect(queued).toBe(1)
  })
})

it('queues the marker of a purged branch, also before the job has looked for markers', async () => {
  const bob = await signUpCreator('bob', service)
  const source = await ada.asset('marked', { visibility: 'public' }, 'forest')
  for (const when of ['before the job has run', 'afterwards']) {
    const { asset } = await bob.branched(source, when)
    expect((await bob.deleteAsset(asset, '?permanent=true')).status).toBe(204)
    expect(await countOf(`garbage WHERE object_key LIKE 'refs/%/' || ?`, asset.id), when).toBe(1)
    await runEach(0)
  }
})
