import { env } from 'cloudflare:test'
import { base64url } from 'jose'
import { expect } from 'vitest'
import { muteUser } from '../../../src/features/mutes/set.ts'
import { setProfile } from '../../../src/features/profiles/set.ts'
import { createShare } from '../../../src/features/shares/create.ts'
import { newId } from '../../../src/platform/db/id.ts'
import { file, upload } from '../../support/acts.ts'
import { publishTo } from '../../support/device.ts'
import { rulesWith, writeOf } from '../../support/saves-object.ts'
import type { Scene } from './scene.ts'
import { stock, stockAsset } from './stock.ts'
import type { Scenario } from './trial.ts'

const headers = { 'Idempotency-Key': 'key' }

/** Three notifications of ada's. */
async function inbox(scene: Scene) {
  scene.hasInboxes = true
  const [ada, bob] = [scene.ada.user_id, scene.bob.user_id]
  for (const name of ['first', 'second']) scene.named(name, await publishTo({ id: ada }, name))
  scene.named('of bob’s', await publishTo({ id: bob }))
  return scene.named('third', await publishTo({ id: ada }, 'third'))
}

/** Something of everything, of ada's; bob has to do with it. */
async function account(scene: Scene) {
  const { ada, bob } = scene
  const [own, theirs] = [newId(ada.user_id), newId(bob.user_id)]
  scene.hasInboxes = true
  await Promise.all([
    stock(ada, { id: own, name: 'own', type: 'file' }),
    stockAsset(ada, 'asset', 'private'),
    stock(bob, { id: theirs, name: 'theirs', type: 'file' }),
    publishTo({ id: ada.user_id }),
    env.SAVES.getByName(ada.user_id).write(writeOf('auto', 'one'), rulesWith()),
  ])
  scene.hasSaves = true
  await Promise.all([
    upload(ada),
    createShare(bob, theirs, { grantee_id: ada.user_id, permission: 'view' }),
    createShare(ada, own, { grantee_id: bob.user_id, permission: 'view' }),
  ])
}

/** Two pictures of ada's, of which the second is chosen. */
async function pictures(scene: Scene) {
  const { ada } = scene
  const one = scene.named('one', { id: newId(ada.user_id) })
  const other = scene.named('other', { id: newId(ada.user_id) })
  for (const [name, { id }] of Object.entries({ one, other }))
    await stock(ada, { id, name, type: 'profile_pic' })
  await setProfile(ada, other.id)
  return [one, other] as const
}

const ofAda = (name: string, method: string, path: string, json?: unknown): Scenario => ({
  name,
  prepare: async (scene) => {
    await inbox(scene)
    return { method, path, json }
  },
})

const quotaOf = ({ ada }: Scene) => `/users/${ada.user_id}/quota`

/** Ada has muted somebody. */
async function muted({ ada }: Scene): Promise<string> {
  await muteUser(ada, 'mallory')
  return '/mutes/mallory'
}

/** Operations on inboxes and on accounts. */
export const ofPeople: Record<string, Scenario[]> = {
  listNotifications: [ofAda('three', 'GET', '/notifications')],
  countUnread: [ofAda('three', 'GET', '/notifications/unread-count')],
  markNotificationsRead: [
    { ...ofAda('all', 'POST', '/notifications/read'), repeated: { marked_count: 0 } },
    {
      name: 'one',
      repeated: { marked_count: 0 },
      prepare: async (scene) => {
        const notification_ids = [(await inbox(scene)).id]
        return { method: 'POST', path: '/notifications/read', json: { notification_ids } }
      },
    },
  ],
  deleteNotification: [
    {
      name: 'one',
      repeated: { code: 'NOTIFICATION_NOT_FOUND' },
      prepare: async (scene) => ({ method: 'DELETE', path: `/notifications/${(await inbox(scene)).id}` }),
    },
  ],
  publishNotification: [
    {
      name: 'with a key',
      prepare: async (scene) => {
        await inbox(scene)
        const data = { from_user_id: 7, from_display_name: 'Bob' }
        const json = { user_id: scene.ada.user_id, type: 'friend_request', data }
        return { by: scene.bob, method: 'POST', path: '/notifications', headers, json }
      },
    },
  ],
  publishNotifications: [
    {
      name: 'to two, with a key',
      inParts: {
        isPartial: (text) => text.includes('"code":"UNAVAILABLE"'),
        holds: async ({ ada, bob }) => {
          for (const [{ user_id }, before] of [[ada, 3] as const, [bob, 1] as const]) {
            const { seq, total, unread } = await env.INBOX.getByName(user_id).counts()
            expect([before, before + 1], 'each has it once, or not at all').toContain(total)
            expect([seq, unread]).toEqual([total, total])
          }
        },
      },
      prepare: async (scene) => {
        await inbox(scene)
        const user_ids = [scene.ada.user_id, scene.bob.user_id]
        const json = { user_ids, type: 'shop.gift', data: { gift: 7 }, expires_in: 86_400 }
        return { by: scene.bob, method: 'POST', path: '/notifications/batch', headers, json }
      },
    },
  ],
  deleteNotifications: [
    { ...ofAda('all', 'POST', '/notifications/delete', { all: true }), repeated: { deleted_count: 0 } },
    {
      name: 'two',
      repeated: { deleted_count: 0 },
      prepare: async (scene) => {
        const [{ id: first }, { id: second }] = [
          await inbox(scene),
          await publishTo({ id: scene.ada.user_id }),
        ]
        scene.named('fourth', { id: second })
        const notification_ids = [first, second]
        return { method: 'POST', path: '/notifications/delete', json: { notification_ids } }
      },
    },
  ],
  openSocket: [
    {
      name: 'from the start',
      prepare: async (scene) => {
        await inbox(scene)
        return { method: 'GET', path: '/notifications/ws', headers: { Upgrade: 'websocket' } }
      },
    },
  ],
  muteUser: [
    { name: 'the first', prepare: async () => ({ method: 'PUT', path: '/mutes/mallory' }) },
    { name: 'again', prepare: async (scene) => ({ method: 'PUT', path: await muted(scene) }) },
  ],
  unmuteUser: [
    { name: 'the only one', prepare: async (scene) => ({ method: 'DELETE', path: await muted(scene) }) },
  ],
  listMutes: [
    {
      name: 'one',
      prepare: async (scene) => {
        await muted(scene)
        return { method: 'GET', path: '/mutes' }
      },
    },
  ],
  setProfile: [
    {
      name: 'another picture',
      prepare: async (scene) => {
        const [{ id: picture_id }] = await pictures(scene)
        return { method: 'PUT', path: '/profile', json: { picture_id } }
      },
    },
    {
      name: 'none',
      prepare: async (scene) => {
        await pictures(scene)
        return { method: 'PUT', path: '/profile', json: { picture_id: null } }
      },
    },
  ],
  getProfiles: [
    {
      name: 'of two users',
      prepare: async (scene) => {
        await pictures(scene)
        const user_ids = [scene.ada.user_id, scene.bob.user_id]
        return { by: scene.bob, method: 'POST', path: '/profiles', json: { user_ids } }
      },
    },
  ],
  getQuota: [
    {
      name: 'own',
      prepare: async (scene) => {
        await file(scene.ada)
        return { method: 'GET', path: '/quota' }
      },
    },
  ],
  getQuotaBreakdown: [
    {
      name: 'own',
      prepare: async (scene) => {
        await file(scene.ada)
        return { method: 'GET', path: '/quota/breakdown' }
      },
    },
  ],
  getQuotaOfUser: [
    { name: 'other', prepare: async (scene) => ({ by: scene.bob, method: 'GET', path: quotaOf(scene) }) },
  ],
  getUser: [
    {
      name: 'with an inbox',
      prepare: async (scene) => {
        await inbox(scene)
        return { by: scene.bob, method: 'GET', path: `/users/${scene.ada.user_id}` }
      },
    },
  ],
  setQuotaOfUser: [
    {
      name: 'a limit',
      prepare: async (scene) => {
        await file(scene.ada)
        return { by: scene.bob, method: 'PUT', path: quotaOf(scene), json: { limit_bytes: 7 } }
      },
    },
    {
      name: 'none',
      prepare: async (scene) => {
        return { by: scene.bob, method: 'PUT', path: quotaOf(scene), json: { limit_bytes: null } }
      },
    },
  ],
  listBlocked: [
    {
      name: 'before all that others of these tests have blocked',
      prepare: async (scene) => {
        const cursor = base64url.encode(JSON.stringify(['blocked files', 0, '']))
        return { by: scene.bob, method: 'GET', path: `/blocked?kind=files&cursor=${cursor}` }
      },
    },
    {
      name: 'of one owner',
      prepare: async ({ ada, bob }) => ({ by: bob, method: 'GET', path: `/blocked?owner_id=${ada.user_id}` }),
    },
  ],
  eraseUser: [
    {
      name: 'with something of everything',
      leftToJob: true,
      prepare: async (scene) => {
        await account(scene)
        return { by: scene.bob, method: 'DELETE', path: `/users/${scene.ada.user_id}` }
      },
    },
  ],
}
