import { expect, it } from 'vitest'
import { moveStep } from '../../src/operators/shards/mover/move.ts'
import { partitionOf } from '../../src/platform/db/id.ts'
import { type Creator, signUpCreator } from '../support/creator.ts'
import { everywhere, placeOf } from '../support/databases.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { everything, moveAll, mover } from '../support/moving.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import { jpeg, png, webp } from '../support/pictures.ts'
import { isolate } from '../support/service.ts'
import { show } from '../support/showing.ts'

/** A user with a home in the database at this place. */
async function userAt(place: number, reach = isolate()): Promise<Creator> {
  let user = await signUpCreator('ada', reach)
  while (placeOf(user.id) !== place) user = await signUpCreator('ada', reach)
  return user
}

const shown = { visibility: 'public' }
const rangeOf = ({ id }: { id: string }) => ({ first: partitionOf(id), last: partitionOf(id) })

it('shows the preview of an asset in any database, to readers whose home is another one', async () => {
  const bob = await userAt(0)
  for (const place of [0, 1, 2]) {
    const ada = await userAt(place)
    const asset = await ada.previewed(await ada.asset('castle', shown))
    expect(await bob.previewUrl(asset)).toBe(asset.preview_url)
    for (const reach of [isolate(), undefined])
      expect((await show(asset.preview_url, {}, reach)).bytes).toEqual(png)
    expect(await bob.setPreview(asset, webp)).toBeProblem(404, 'ASSET_NOT_FOUND')
    const hidden = await ada.previewed(await ada.asset('hidden'), jpeg)
    expect((await show(hidden.preview_url, {}, isolate())).bytes).toEqual(jpeg)
    expect((await show((hidden.preview_url ?? '').replace(/\?.*/, ''), {}, isolate())).status).toBe(404)
  }
})

it('moves what takes the storage with its user, and what the job has not counted yet', async () => {
  const ada = await userAt(0)
  await ada.file('file', 'x'.repeat(2 ** 20))
  const asset = await ada.previewed(await ada.asset('asset', shown, 'x'.repeat(2 ** 20)))
  await ada.version(asset, 'small')
  await ada.rollBack(asset, { from_version: 1 })
  await ada.upload({ size_bytes: 9 })
  const { body } = await ada.get('/quota/breakdown')
  for (const target of ['DB_1', 'DB_2', 'DB']) {
    if (target === 'DB') await everywhere('UPDATE usage SET parts = NULL')
    await moveAll(rangeOf(ada), target)
    expect(await everywhere('SELECT version FROM large_versions')).toEqual([{ version: 3 }])
    if (target === 'DB') await runJobIn(0)
    expect((await ada.get('/quota/breakdown')).body).toEqual(body)
    await expectSound(ada.id)
  }
})

it('moves previews with their user: the URLs stay, the bytes stay counted, and nothing is left behind', async () => {
  const [ada, bob] = [await userAt(0), await userAt(1)]
  const open = await ada.previewed(await ada.asset('open', shown))
  const own = await ada.previewed(await ada.asset('own'), webp)
  const { used_bytes } = await ada.quota()
  for (const target of ['DB_1', 'DB_2', 'DB']) {
    await moveAll(rangeOf(ada), target)
    expect((await everything()).strays).toEqual([])
    for (const reach of [isolate(), undefined]) {
      expect((await show(open.preview_url, {}, reach)).bytes).toEqual(png)
      expect((await show(own.preview_url, {}, reach)).bytes).toEqual(webp)
    }
    expect(await bob.through(isolate()).get(`/game/assets/${open.id}`)).toMatchObject({
      body: { preview_url: open.preview_url },
    })
    expect((await ada.quota()).used_bytes).toBe(used_bytes)
    await expectSound(ada.id)
  }
  await ada.deletePreview(own)
  await ada.deleteAsset(open, '?permanent=true')
  await runJobIn(2)
  await expectRecordsAndObjectsAgree()
})

it('answers a request for a preview at every step of a move with what it has done, or with UNAVAILABLE', async () => {
  const ada = await userAt(0)
  const asset = await ada.asset('castle', shown)
  let [last, refused] = [0, 0]
  for (let step = 1, isMoved = false; !isMoved; step++) {
    expect(step, 'the move ends').toBeLessThan(60)
    const from = ada.through(isolate())
    const picture = new Uint8Array(png.length + step)
    picture.set(png)
    const [moved, set] = await Promise.all([
      moveStep(mover(), rangeOf(ada), 'DB_1', { steps: 1 }),
      from.request('PUT', `/game/assets/${asset.id}/preview`, { body: picture }),
    ])
    isMoved = moved.state === 'moved'
    expect([200, 503]).toContain(set.status)
    if (set.status === 200) last = picture.length
    else refused++
    const { preview_url } = (await from.get(`/game/assets/${asset.id}`)).body as {
      preview_url: string | null
    }
    if (last > 0) expect((await show(preview_url, {}, isolate())).bytes).toHaveLength(last)
  }
  expect(refused, 'requests that met the move').toBeGreaterThan(0)
  await expectSound(ada.id)
  await expectInPlace()
})
