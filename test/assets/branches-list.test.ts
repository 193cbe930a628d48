import { describe, expect, it } from 'vitest'
import { made } from '../support/answer.ts'
import { type Creator, signUpCreator, summaryOf } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { records } from '../support/records.ts'
import { operator } from '../support/user.ts'

/** Ada's asset with content, and Bob. */
async function scene(declared: Record<string, unknown> = { visibility: 'public' }) {
  const [ada, bob] = [await signUpCreator('ada'), await signUpCreator('bob')]
  const source = await ada.asset('source', { asset_type: 'prop', ...declared }, 'first')
  return { ada, bob, source }
}

const page = async (user: Creator, id: string, query = '') =>
  made(records.BranchPage, await user.get(`/game/assets/${id}/branches${query}`), 200)

describe('GET /v1/game/assets/{id}/branches', () => {
  it('lists the public branches and the caller’s own with their exact members, newest first', async () => {
    const { ada, bob, source } = await scene()
    const carol = await signUpCreator('carol')
    expect(await page(bob, source.id)).toEqual({ branches: [], next_cursor: null })
    const own = (await ada.branched(source, 'adas')).asset
    const bobs = (await bob.branched(source, 'bobs')).asset
    const shown = (await carol.branched(source, 'shown')).asset
    const open = (await carol.editAsset(shown, { visibility: 'public' })).body
    await carol.branched(shown, 'a branch of a branch')
    await carol.emptyAsset('no branch', { visibility: 'public' })
    expect((await page(ada, source.id)).branches).toEqual([open, own].map(summaryOf))
    expect((await page(bob, source.id)).branches).toEqual([open, bobs].map(summaryOf))
    expect((await page(carol, source.id)).branches).toEqual([summaryOf(open)])
    expect(await carol.branchNames(shown)).toEqual(['a branch of a branch'])
    expect(await bob.branchNames(shown)).toEqual([])
  })

  it('shows an unlisted branch to its owner alone', async () => {
    const { ada, bob, source } = await scene()
    const { asset } = await bob.branched(source, 'bobs')
    await bob.editAsset(asset, { visibility: 'public', listed: false })
    expect([await bob.branchNames(source), await ada.branchNames(source)]).toEqual([['bobs'], []])
    expect((await ada.readAsset(asset)).status).toBe(200)
    await bob.editAsset(asset, { listed: true })
    expect(await ada.branchNames(source)).toEqual(['bobs'])
    await bob.editAsset(asset, { listed: false })
    expect([await bob.branchNames(source), await ada.branchNames(source)]).toEqual([['bobs'], []])
  })

  it('leaves out what others have deleted or a moderator has blocked, and shows it again when it is back', async () => {
    const { bob, source } = await scene()
    const carol = await signUpCreator('carol')
    const moderator = await operator('content:moderate')
    const { asset } = await bob.branched(source, 'bobs')
    await bob.editAsset(asset, { visibility: 'public' })
    const block = (method: string) => moderator.request(method, `/game/assets/${asset.id}/block`)
    const seen = async () => [await bob.branchNames(source), await carol.branchNames(source)]
    expect(await seen()).toEqual([['bobs'], ['bobs']])
    await block('PUT')
    expect(await seen()).toEqual([['bobs'], []])
    expect((await page(bob, source.id)).branches).toMatchObject([{ blocked: true }])
    await block('DELETE')
    expect(await seen()).toEqual([['bobs'], ['bobs']])
    await bob.deleteAsset(asset)
    expect(await seen()).toEqual([[], []])
    await bob.restoreAsset(asset)
    expect(await seen()).toEqual([['bobs'], ['bobs']])
    await bob.deleteAsset(asset, '?permanent=true')
    expect(await seen()).toEqual([[], []])
  })

  it('goes on page by page while branches come and go, and takes limits from 1 to 100', async () => {
    const { bob, source } = await scene()
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const branches = []
    for (const [i, name] of names.entries()) {
      const { asset } = await bob.branched(source, name)
      if (i % 2 === 0) await bob.editAsset(asset, { visibility: 'public' })
      branches.push(asset)
    }
    const at = async (query: string) => {
      const { branches, next_cursor } = await page(bob, source.id, query)
      return { names: branches.map(({ name }) => name), next_cursor }
    }
    const first = await at('?limit=2')
    expect(first.names).toEqual(['g', 'f'])
    await bob.branched(source, 'new')
    for (const gone of [5, 3]) await bob.deleteAsset(branches[gone] ?? '')
    await bob.editAsset(branches[2] ?? '', { visibility: 'private' })
    const second = await at(`?limit=2&cursor=${first.next_cursor}`)
    expect(second.names).toEqual(['e', 'c'])
    const third = await at(`?limit=100&cursor=${second.next_cursor}`)
    expect(third).toEqual({ names: ['b', 'a'], next_cursor: null })
    for (const limit of ['0', '101', '-1', 'x', ''])
      expect(await bob.get(`/game/assets/${source.id}/branches?limit=${limit}`)).toBeProblem(
        400,
        'VALIDATION_FAILED',
      )
  })

  it('refuses a cursor that is malformed, or of another list or asset', async () => {
    const { ada, source } = await scene()
    for (const name of ['a', 'b']) await ada.branched(source, name)
    const other = (await ada.branched(source, 'other')).asset
    for (const name of ['c', 'd']) await ada.branched(other, name)
    const cursors = [(await page(ada, other.id, '?limit=1')).next_cursor, '', 'x', btoa('[]')]
    cursors.push((await ada.assets('/assets?limit=1')).next_cursor)
    for (const cursor of cursors)
      expect(await ada.get(`/game/assets/${source.id}/branches?cursor=${cursor}`)).toBeProblem(
        400,
        'INVALID_CURSOR',
      )
  })

  it('is for those who may read the asset', async () => {
    const { ada, bob, source } = await scene({})
    await ada.branched(source, 'a')
    expect(await ada.branchNames(source)).toEqual(['a'])
    for (const id of [source.id, unknownId, 'x'])
      expect(await bob.get(`/game/assets/${id}/branches`)).toBeProblem(404, 'ASSET_NOT_FOUND')
    await ada.deleteAsset(source)
    expect(await ada.get(`/game/assets/${source.id}/branches`)).toBeProblem(404, 'ASSET_NOT_FOUND')
  })
})
