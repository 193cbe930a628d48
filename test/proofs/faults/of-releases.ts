import { setChannel } from '../../../src/features/assets/channels.ts'
import type { Asked, Scene } from './scene.ts'
import { stockAsset, stockVariant } from './stock.ts'
import type { Scenario } from './trial.ts'

type First = (scene: Scene, id: string) => Promise<unknown>

/** A scenario about an asset with two versions: what is asked below its path. */
const about = (
  name: string,
  method: string,
  below: string,
  { first, ...asked }: Partial<Asked> & { first?: First } = {},
): Scenario => ({
  name,
  prepare: async (scene) => {
    const { id } = scene.named('source', await stockAsset(scene.ada, scene.ada.user_id, 'public'))
    await first?.(scene, id)
    return { method, path: `/game/assets/${id}${below}`, ...asked }
  },
})

const live: First = ({ ada }, id) => setChannel(ada, id, 'live', { version: 1 })
const beta: First = ({ ada }, id) => setChannel(ada, id, 'beta', { version: 1 })
const variant: First = ({ ada }, id) => stockVariant(ada, id, 2, 'pc')

/** Operations on channels, builds and variants, each in the circumstances that lead it to other calls. */
export const ofReleases: Record<string, Scenario[]> = {
  setChannel: [
    about('live', 'PUT', '/channels/live', { json: { version: 1 } }),
    about('live, to another version', 'PUT', '/channels/live', { json: { version: 2 }, first: live }),
    about('with a key', 'PUT', '/channels/beta', { json: { version: 1 } }),
    about('to no version', 'PUT', '/channels/live', { json: { version: 9 } }),
  ],
  deleteChannel: [
    {
      ...about('live', 'DELETE', '/channels/live', { first: live }),
      repeated: { code: 'CHANNEL_NOT_FOUND' },
    },
    about('none', 'DELETE', '/channels/beta', { first: live }),
  ],
  listChannels: [about('one', 'GET', '/channels', { first: beta })],
  editVersion: [
    about('its notes', 'PATCH', '/versions/1', { json: { notes: 'A fifth tower.' } }),
    about('builds of one that others do not see', 'PATCH', '/versions/2', {
      json: { min_build: 7 },
      first: live,
    }),
    about('none', 'PATCH', '/versions/9', { json: { min_build: 7 } }),
  ],
  deleteVariant: [
    {
      ...about('one', 'DELETE', '/versions/2/variants/pc', { first: variant }),
      repeated: { code: 'VARIANT_NOT_FOUND' },
    },
    about('none', 'DELETE', '/versions/2/variants/web', { first: variant }),
  ],
  getUpdates: [
    {
      name: 'somebody’s and unknown',
      prepare: async (scene) => {
        const { id } = scene.named('source', await stockAsset(scene.ada, scene.ada.user_id, 'public'))
        await live(scene, id)
        const items = [
          { asset_id: id, version: 2 },
          { asset_id: 'none', version: 1 },
        ]
        return { by: scene.bob, method: 'POST', path: '/game/updates', json: { items } }
      },
    },
  ],
}
