import { everywhere } from '../../support/databases.ts'
import { service } from '../../support/service.ts'
import type { Asked, Scene } from './scene.ts'
import type { Scenario } from './trial.ts'

/** A recall reaches the saves of everybody: those of a scene are of a time in which nobody here has saved, and go with it. */

const recall = ({ ada, bob }: Scene): Asked => {
  const json = { from: 1, until: 2, newer: 'keep', reason: `of ${ada.user_id}` }
  return { by: bob, method: 'POST', path: '/recalls', json, headers: { 'Idempotency-Key': 'key' } }
}

/** Bob recalls saves. */
async function recalled(scene: Scene): Promise<{ id: string }> {
  const { text } = await scene.ask(recall(scene), service)
  const made: { id: string } = JSON.parse(text)
  return scene.named('recall', made)
}

async function tidy({ ada }: Scene): Promise<void> {
  await everywhere('DELETE FROM recalls WHERE reason = ?', `of ${ada.user_id}`)
}

/** As many as all trials of a scenario have at once. */
const variables = { MAX_RECALLS: '20' }

/** Operations on recalls. Bob is the operator. */
export const ofRecalls: Record<string, Scenario[]> = {
  createRecall: [
    {
      name: 'with a key',
      alone: true,
      tidy,
      prepare: async (scene) => ({ ...recall(scene), variables }),
    },
  ],
  listRecalls: [
    {
      name: 'one',
      alone: true,
      tidy,
      prepare: async (scene) => {
        await recalled(scene)
        return { by: scene.bob, method: 'GET', path: '/recalls?limit=1' }
      },
    },
  ],
  endRecall: [
    {
      name: 'one',
      alone: true,
      tidy,
      prepare: async (scene) => ({
        by: scene.bob,
        method: 'DELETE',
        path: `/recalls/${(await recalled(scene)).id}`,
      }),
    },
  ],
}
