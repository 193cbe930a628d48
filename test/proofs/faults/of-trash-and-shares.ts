import { createShare } from '../../../src/features/shares/create.ts'
import type { Scene } from './scene.ts'
import { trash, tree } from './trees.ts'
import type { Scenario } from './trial.ts'

const headers = { 'Idempotency-Key': 'key' }

/** Shares a file of ada's with bob. */
async function share(scene: Scene, file_id: string) {
  const { ada, bob } = scene
  return scene.named(
    'share',
    await createShare(ada, file_id, { grantee_id: bob.user_id, permission: 'view' }),
  )
}

/** Operations on the trash and on shares, each in the circumstances that lead it to other calls. */
export const ofTrashAndShares: Record<string, Scenario[]> = {
  listTrash: [
    {
      name: 'of two',
      prepare: async (scene) => {
        await trash(scene)
        return { method: 'GET', path: '/trash' }
      },
    },
  ],
  emptyTrash: [
    {
      name: 'of two',
      leftToJob: true,
      prepare: async (scene) => {
        await trash(scene)
        return { method: 'DELETE', path: '/trash' }
      },
    },
  ],
  restoreFile: [
    {
      name: 'a tree',
      repeated: { code: 'FILE_NOT_TRASHED' },
      prepare: async (scene) => ({ method: 'POST', path: `/trash/${(await trash(scene)).outer.id}/restore` }),
    },
    {
      name: 'what lay inside',
      repeated: { code: 'FILE_NOT_TRASHED' },
      prepare: async (scene) => ({ method: 'POST', path: `/trash/${(await trash(scene)).inner.id}/restore` }),
    },
  ],
  purgeFile: [
    {
      name: 'a tree',
      repeated: { code: 'FILE_NOT_FOUND' },
      leftToJob: true,
      prepare: async (scene) => ({ method: 'DELETE', path: `/trash/${(await trash(scene)).outer.id}` }),
    },
  ],
  listSharesOfFile: [
    {
      name: 'one',
      prepare: async (scene) => {
        const { content } = await tree(scene)
        await share(scene, content.id)
        return { method: 'GET', path: `/files/${content.id}/shares` }
      },
    },
  ],
  createShare: [
    {
      name: 'the first',
      prepare: async (scene) => {
        const json = { grantee_id: scene.bob.user_id, permission: 'view', expires_at: 4_000_000_000 }
        return { method: 'POST', path: `/files/${(await tree(scene)).content.id}/shares`, headers, json }
      },
    },
    {
      name: 'in place of another, without a key',
      prepare: async (scene) => {
        const { content } = await tree(scene)
        await share(scene, content.id)
        const json = { grantee_id: scene.bob.user_id, permission: 'edit' }
        return { method: 'POST', path: `/files/${content.id}/shares`, json }
      },
    },
    {
      name: 'of a folder',
      prepare: async (scene) => {
        const json = { grantee_id: scene.bob.user_id, permission: 'view' }
        return { method: 'POST', path: `/files/${(await tree(scene)).outer.id}/shares`, headers, json }
      },
    },
  ],
  revokeShare: [
    {
      name: 'by the owner',
      repeated: { code: 'SHARE_NOT_FOUND' },
      prepare: async (scene) => {
        const { id } = await share(scene, (await tree(scene)).content.id)
        return { method: 'DELETE', path: `/shares/${id}` }
      },
    },
  ],
  leaveSharesOfOwner: [
    {
      name: 'of one owner',
      prepare: async (scene) => {
        const { content } = await tree(scene)
        await share(scene, content.id)
        const path = `/shares?owner_id=${encodeURIComponent(scene.ada.user_id)}`
        return { by: scene.bob, method: 'DELETE', path }
      },
    },
  ],
  listSharedWithMe: [
    {
      name: 'one',
      prepare: async (scene) => {
        await share(scene, (await tree(scene)).content.id)
        return { by: scene.bob, method: 'GET', path: '/shares' }
      },
    },
  ],
  getSharedUrl: [
    {
      name: 'by the grantee',
      prepare: async (scene) => {
        const { id } = await share(scene, (await tree(scene)).content.id)
        return { by: scene.bob, method: 'GET', path: `/shares/${id}/url` }
      },
    },
  ],
}
