import { branchAsset } from '../../../src/features/assets/branch.ts'
import { deleteAsset } from '../../../src/features/assets/delete.ts'
import { setFavorite } from '../../../src/features/favorites/set.ts'
import { setPreview } from '../../../src/features/previews/preview.ts'
import { blockAsset } from '../../../src/operators/moderation/block.ts'
import { png } from '../../support/pictures.ts'
import type { Asked, Scene } from './scene.ts'
import { stockAsset } from './stock.ts'
import type { Scenario } from './trial.ts'

const headers = { 'Idempotency-Key': 'key' }
const gone = { code: 'ASSET_NOT_FOUND' }

/** An asset with two versions, under a name that no other has. */
async function source(scene: Scene, visibility: 'public' | 'private' = 'public') {
  return scene.named('source', await stockAsset(scene.ada, scene.ada.user_id, visibility))
}

/** A scenario about an asset: what is asked below its path. */
const about = (
  name: string,
  method: string,
  below: string,
  different: Partial<Asked> & { first?: (scene: Scene, id: string) => Promise<unknown> } = {},
): Scenario => ({
  name,
  prepare: async (scene) => {
    const { first, ...asked } = different
    const { id } = await source(scene)
    await first?.(scene, id)
    return { method, path: `/game/assets/${id}${below}`, ...asked }
  },
})

/** The same, asked by somebody else. */
const byOther = (scenario: Scenario): Scenario => ({
  ...scenario,
  name: `${scenario.name}, by somebody else`,
  prepare: async (scene) => ({ ...(await scenario.prepare(scene)), by: scene.bob }),
})

const branch = async ({ bob }: Scene, id: string) => branchAsset(bob, id, { name: 'branch' })
const like = ({ ada, bob }: Scene, id: string) => Promise.all([setFavorite(ada, id), setFavorite(bob, id)])
const preview = ({ ada }: Scene, id: string) => setPreview(ada, id, png.buffer)
const remove = ({ ada }: Scene, id: string) => deleteAsset(ada, id)

/** Operations on game assets, each in the circumstances that lead it to other calls. */
export const ofAssets: Record<string, Scenario[]> = {
  createAsset: [
    {
      name: 'a new one',
      prepare: async () => {
        return { method: 'POST', path: '/game/assets', headers, json: { name: 'new', type: 'world' } }
      },
    },
    {
      name: 'under a name that is taken',
      prepare: async (scene) => {
        const { name } = await source(scene)
        return { method: 'POST', path: '/game/assets', headers, json: { name, type: 'world' } }
      },
    },
  ],
  listAssets: [
    {
      name: 'own',
      prepare: async (scene) => {
        await source(scene)
        return { method: 'GET', path: '/game/assets' }
      },
    },
  ],
  getAsset: [about('own', 'GET', ''), byOther(about('public', 'GET', ''))],
  editAsset: [
    about('rename and hide', 'PUT', '', { json: { name: 'other', visibility: 'private' } }),
    byOther(about('rename', 'PUT', '', { json: { name: 'other' } })),
    about('its page', 'PUT', '', {
      json: { description: 'A castle.', tags: ['horror'], metadata: { seed: 7 } },
    }),
    about('out of the catalogue', 'PUT', '', { json: { listed: false } }),
    {
      ...about('with If-Match', 'PUT', '', { json: { name: 'other' }, headers: { 'If-Match': '"3"' } }),
      repeated: { code: 'PRECONDITION_FAILED' },
    },
  ],
  setPreview: [
    about('the first', 'PUT', '/preview', { bytes: png }),
    about('another', 'PUT', '/preview', { bytes: png, first: preview }),
    about('no picture', 'PUT', '/preview', { json: {} }),
    byOther(about('the first', 'PUT', '/preview', { bytes: png })),
  ],
  deletePreview: [
    about('the preview', 'DELETE', '/preview', { first: preview }),
    about('none', 'DELETE', '/preview'),
  ],
  deleteVersion: [
    { ...about('the first', 'DELETE', '/versions/1'), repeated: { code: 'VERSION_NOT_FOUND' } },
    {
      ...about('the first, branched', 'DELETE', '/versions/1', {
        first: async ({ bob }, id) => branchAsset(bob, id, { name: 'branch', from_version: 1 }),
      }),
      repeated: { code: 'VERSION_NOT_FOUND' },
    },
    about('the current', 'DELETE', '/versions/2'),
  ],
  setFavorite: [
    byOther(about('public', 'PUT', '/favorite')),
    byOther(about('again', 'PUT', '/favorite', { first: like })),
  ],
  deleteFavorite: [byOther(about('one', 'DELETE', '/favorite', { first: like }))],
  listFavorites: [
    {
      name: 'somebody’s',
      prepare: async (scene) => {
        await like(scene, (await source(scene)).id)
        return { by: scene.bob, method: 'GET', path: '/game/favorites' }
      },
    },
  ],
  deleteAsset: [
    { ...about('to be restored', 'DELETE', ''), repeated: gone },
    { ...about('for good', 'DELETE', '?permanent=true'), repeated: gone, leftToJob: true },
    {
      ...about('for good, branched', 'DELETE', '?permanent=true', { first: branch }),
      repeated: gone,
      leftToJob: true,
    },
  ],
  restoreAsset: [
    about('as it was', 'POST', '/restore', { first: remove }),
    about('under another name', 'POST', '/restore', { first: remove, json: { name: 'other' } }),
  ],
  branchAsset: [
    about('own', 'POST', '/branch', { headers, json: { name: 'branch' } }),
    byOther(
      about('an old version', 'POST', '/branch', { headers, json: { name: 'branch', from_version: 1 } }),
    ),
    byOther(about('no version', 'POST', '/branch', { headers, json: { name: 'branch', from_version: 9 } })),
  ],
  listBranches: [about('one', 'GET', '/branches', { first: branch })],
  listVersions: [about('two', 'GET', '/versions')],
  rollBackAsset: [
    about('to the first', 'POST', '/versions', { headers, json: { from_version: 1 } }),
    about('to none', 'POST', '/versions', { headers, json: { from_version: 9 } }),
  ],
  getVersion: [about('the first', 'GET', '/versions/1')],
  getVersionUrl: [about('the first', 'GET', '/versions/1/url')],
  getAssetUrls: [
    {
      name: 'somebody’s and unknown',
      prepare: async (scene) => {
        const items = [{ asset_id: (await source(scene)).id }, { asset_id: 'none', version: 1 }]
        return { by: scene.bob, method: 'POST', path: '/game/urls', json: { items } }
      },
    },
  ],
  browseAssets: [
    {
      name: 'by name',
      prepare: async (scene) => ({ method: 'GET', path: `/game/public?q=${(await source(scene)).name}` }),
    },
  ],
  getPublicAsset: [
    {
      name: 'somebody’s',
      prepare: async (scene) => {
        return { by: scene.bob, method: 'GET', path: `/game/public/world/${(await source(scene)).id}` }
      },
    },
  ],
  blockAsset: [about('public', 'PUT', '/block')],
  unblockAsset: [about('blocked', 'DELETE', '/block', { first: (scene, id) => blockAsset(scene.ada, id) })],
}
