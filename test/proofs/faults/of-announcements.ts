import { everywhere } from '../../support/databases.ts'
import { service } from '../../support/service.ts'
import type { Asked, Scene } from './scene.ts'
import type { Scenario } from './trial.ts'

/** What is announced reaches every inbox that looks: those of a scene say that they are its own, and go with it. */

const announcement = ({ ada, bob }: Scene): Asked => {
  const expires_at = Math.floor(Date.now() / 1_000) + 86_400
  const json = { type: 'studio.maintenance', data: { of: ada.user_id }, expires_at }
  return { by: bob, method: 'POST', path: '/announcements', json, headers: { 'Idempotency-Key': 'key' } }
}

/** Bob announces something. */
async function announced(scene: Scene): Promise<{ id: string }> {
  const { text } = await scene.ask(announcement(scene), service)
  const made: { id: string } = JSON.parse(text)
  return scene.named('announcement', made)
}

async function tidy({ ada }: Scene): Promise<void> {
  await everywhere(`DELETE FROM announcements WHERE data ->> 'of' = ?`, ada.user_id)
}

/** As many as all trials of a scenario have at once. */
const variables = { MAX_ANNOUNCEMENTS: '100' }

/** Operations on announcements. Bob is the operator. */
export const ofAnnouncements: Record<string, Scenario[]> = {
  publishAnnouncement: [
    {
      name: 'with a key',
      alone: true,
      tidy,
      prepare: async (scene) => ({ ...announcement(scene), variables }),
    },
  ],
  listAnnouncements: [
    {
      name: 'one',
      alone: true,
      tidy,
      prepare: async (scene) => {
        await announced(scene)
        return { by: scene.bob, method: 'GET', path: '/announcements?limit=1' }
      },
    },
  ],
  deleteAnnouncement: [
    {
      name: 'one',
      alone: true,
      tidy,
      repeated: { code: 'ANNOUNCEMENT_NOT_FOUND' },
      prepare: async (scene) => ({
        by: scene.bob,
        method: 'DELETE',
        path: `/announcements/${(await announced(scene)).id}`,
      }),
    },
  ],
}
