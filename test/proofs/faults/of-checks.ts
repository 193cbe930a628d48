import { expect } from 'vitest'
import { newAsset, upload } from '../../support/acts.ts'
import { checker, serviceWithCheck } from '../../support/checking.ts'
import { homeOf } from '../../support/databases.ts'
import { arrived, completion, namedParts, sendPart } from './arrivals.ts'
import type { Asked, Scene } from './scene.ts'
import { stockAsset } from './stock.ts'
import type { Scenario } from './trial.ts'

const variables = checker('file,world')
const { service } = serviceWithCheck(variables)

const ready = { verdict: 'ready' }
const failed = { verdict: 'failed', reason: 'It has a virus.' }

/** The verdict on an upload that waits for it once `completed` has been asked. It is bob who checks. */
async function verdict(
  scene: Scene,
  { id }: { id: string },
  completed: Asked,
  json: unknown,
): Promise<Asked> {
  const { status, body } = await scene.ask(completed, service)
  expect({ status, body }, 'it waits').toMatchObject({
    status: 202,
    body: { upload: { state: 'processing' } },
  })
  return { by: scene.bob, method: 'PUT', path: `/uploads/${id}/verdict`, json, variables }
}

/** Fails unless the upload has come to this: its state, and that of its check. */
const cameTo =
  (state: string, check_state: string): Scenario['usable'] =>
  async ({ ada }) => {
    const query = 'SELECT state, check_state FROM uploads WHERE owner_id = ?'
    const { results } = await homeOf(ada.user_id).prepare(query).bind(ada.user_id).all()
    expect(results).toEqual([{ state, check_state }])
  }

const onFile = (name: string, json: unknown, usable: Scenario['usable']): Scenario => ({
  name,
  usable,
  prepare: async (scene) => {
    const { upload: waiting } = await arrived(scene, upload(scene.ada))
    return verdict(scene, waiting, completion(waiting), json)
  },
})

const newWorld = (scene: Scene) => arrived(scene, newAsset(scene.ada, 'new'))

/** Verdicts on content that waits for one, each in the circumstances that lead it to other calls. */
export const ofChecks: Record<string, Scenario[]> = {
  setVerdict: [
    onFile('ready, a file', ready, cameTo('completed', 'ready')),
    onFile('failed, a file', failed, cameTo('failed', 'failed')),
    {
      name: 'ready, a new asset',
      usable: cameTo('completed', 'ready'),
      prepare: async (scene) => {
        const { upload: waiting } = await newWorld(scene)
        return verdict(scene, waiting, completion(waiting), ready)
      },
    },
    {
      name: 'ready, a new asset whose name has been taken meanwhile',
      usable: cameTo('completing', 'ready'),
      prepare: async (scene) => {
        const { upload: waiting } = await newWorld(scene)
        const asked = await verdict(scene, waiting, completion(waiting), ready)
        await stockAsset(scene.ada, 'new', 'private')
        return asked
      },
    },
    {
      name: 'failed, a file in parts',
      usable: cameTo('failed', 'failed'),
      prepare: async (scene) => {
        const waiting = await namedParts(scene)
        return verdict(scene, waiting, completion(waiting, { parts: [await sendPart(waiting)] }), failed)
      },
    },
  ],
}
