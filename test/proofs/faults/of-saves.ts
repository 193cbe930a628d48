import { env } from 'cloudflare:test'
import { rulesWith, writeOf } from '../../support/saves-object.ts'
import type { Scene } from './scene.ts'
import type { Scenario } from './trial.ts'

/** A slot of ada's at revision 2, and a deleted one. */
async function saves(scene: Scene) {
  scene.hasSaves = true
  const object = env.SAVES.getByName(scene.ada.user_id)
  for (const text of ['one', 'two']) await object.write(writeOf('auto', text), rulesWith())
  await object.write(writeOf('gone', 'three'), rulesWith())
  await object.remove('gone', {}, rulesWith())
}

const ofAda = (
  name: string,
  method: string,
  path: string,
  {
    repeated,
    ...more
  }: { json?: unknown; headers?: Record<string, string>; repeated?: Record<string, unknown> } = {},
): Scenario => ({
  name,
  ...(repeated && { repeated }),
  prepare: async (scene) => {
    await saves(scene)
    return { method, path, ...more }
  },
})

const follows = { 'If-Match': '"2"' }
const key = { 'Idempotency-Key': 'key' }

/** Operations on saves. A write without condition and key is repeated as another write, so there is none here. */
export const ofSaves: Record<string, Scenario[]> = {
  listSaves: [ofAda('all', 'GET', '/saves'), ofAda('deleted', 'GET', '/saves?deleted=true')],
  readSave: [
    ofAda('that the caller has', 'GET', '/saves/auto', { headers: { 'If-None-Match': '"2"' } }),
    ofAda('that is not there', 'GET', '/saves/never'),
  ],
  listSaveRevisions: [ofAda('two', 'GET', '/saves/auto/revisions')],
  writeSave: [
    ofAda('over a revision', 'PUT', '/saves/auto', { json: { level: 3 }, headers: follows }),
    ofAda('a new slot', 'PUT', '/saves/new', { json: { level: 3 }, headers: { 'If-None-Match': '*' } }),
    ofAda('over anything, with a key', 'PUT', '/saves/auto', { json: { level: 3 }, headers: key }),
    ofAda('a refused one that is kept', 'PUT', '/saves/auto?keep=true', {
      json: { level: 3 },
      headers: { 'If-Match': '"1"' },
    }),
  ],
  restoreSave: [
    ofAda('an older revision', 'POST', '/saves/auto/restore', { json: { revision: 1 }, headers: follows }),
    ofAda('a deleted slot', 'POST', '/saves/gone/restore', { json: {} }),
  ],
  deleteSave: [ofAda('a slot', 'DELETE', '/saves/auto', { repeated: { code: 'SAVE_NOT_FOUND' } })],
}
