import { publicOf, tree } from './trees.ts'
import type { Scenario } from './trial.ts'

const headers = { 'Idempotency-Key': 'key' }

/** Operations on files, each in the circumstances that lead it to other calls. */
export const ofFiles: Record<string, Scenario[]> = {
  listFiles: [
    {
      name: 'in a folder',
      prepare: async (scene) => ({ method: 'GET', path: `/files?parent_id=${(await tree(scene)).outer.id}` }),
    },
    {
      name: 'in somebody’s public folder',
      prepare: async (scene) => ({ method: 'GET', path: `/files?parent_id=${(await publicOf(scene)).id}` }),
    },
    { name: 'in no folder', prepare: async () => ({ method: 'GET', path: '/files?parent_id=none' }) },
  ],
  createFolder: [
    {
      name: 'in a folder',
      prepare: async (scene) => {
        const json = { name: 'new', asset_type: 'folder', parent_id: (await tree(scene)).outer.id }
        return { method: 'POST', path: '/files', headers, json }
      },
    },
    {
      name: 'in no folder',
      prepare: async () => {
        const json = { name: 'new', asset_type: 'folder', parent_id: 'none' }
        return { method: 'POST', path: '/files', headers, json }
      },
    },
  ],
  createContent: [
    {
      name: 'in a folder',
      prepare: async (scene) => {
        const path = `/files/content?name=new&parent_id=${(await tree(scene)).outer.id}`
        return { method: 'POST', path, headers, json: { level: 1 } }
      },
    },
    {
      name: 'in no folder',
      prepare: async () => {
        const path = '/files/content?name=new&parent_id=none'
        return { method: 'POST', path, headers, json: { level: 1 } }
      },
    },
  ],
  replaceContent: [
    {
      name: 'of a file',
      prepare: async (scene) => {
        const path = `/files/${(await tree(scene)).content.id}/content`
        return { method: 'PUT', path, json: { level: 2 } }
      },
    },
    {
      name: 'with If-Match',
      repeated: { code: 'PRECONDITION_FAILED' },
      prepare: async (scene) => {
        const path = `/files/${(await tree(scene)).content.id}/content`
        return { method: 'PUT', path, json: { level: 2 }, headers: { 'If-Match': '"1"' } }
      },
    },
    {
      name: 'of a folder',
      prepare: async (scene) => {
        const path = `/files/${(await tree(scene)).outer.id}/content`
        return { method: 'PUT', path, json: { level: 2 } }
      },
    },
  ],
  getContent: [
    {
      name: 'own',
      prepare: async (scene) => ({
        method: 'GET',
        path: `/files/${(await tree(scene)).content.id}/content`,
      }),
    },
  ],
  getFile: [
    {
      name: 'own',
      prepare: async (scene) => ({ method: 'GET', path: `/files/${(await tree(scene)).content.id}` }),
    },
    {
      name: 'public',
      prepare: async (scene) => ({ method: 'GET', path: `/files/${(await publicOf(scene)).id}` }),
    },
  ],
  editFile: [
    {
      name: 'rename and show',
      prepare: async (scene) => {
        const json = { name: 'other', is_public: true }
        return { method: 'PATCH', path: `/files/${(await tree(scene)).content.id}`, json }
      },
    },
    {
      name: 'with If-Match',
      repeated: { code: 'PRECONDITION_FAILED' },
      prepare: async (scene) => {
        const { outer } = await tree(scene)
        const path = `/files/${outer.id}`
        return {
          method: 'PATCH',
          path,
          json: { name: 'other' },
          headers: { 'If-Match': '"1"' },
        }
      },
    },
    {
      name: 'move',
      prepare: async (scene) => {
        const { content, inner } = await tree(scene)
        return { method: 'PATCH', path: `/files/${content.id}`, json: { parent_id: inner.id } }
      },
    },
    {
      name: 'into itself',
      prepare: async (scene) => {
        const { outer, inner } = await tree(scene)
        return { method: 'PATCH', path: `/files/${outer.id}`, json: { parent_id: inner.id } }
      },
    },
  ],
  deleteFile: [
    {
      name: 'a tree',
      repeated: { code: 'FILE_NOT_FOUND' },
      prepare: async (scene) => ({ method: 'DELETE', path: `/files/${(await tree(scene)).outer.id}` }),
    },
  ],
  getDownloadUrl: [
    {
      name: 'own',
      prepare: async (scene) => ({ method: 'GET', path: `/files/${(await tree(scene)).content.id}/url` }),
    },
  ],
  getDownloadUrls: [
    {
      name: 'own and unknown',
      prepare: async (scene) => {
        const { content, outer } = await tree(scene)
        const ids = [content.id, outer.id, 'none']
        return { method: 'POST', path: '/files/urls', json: { ids } }
      },
    },
  ],
  blockFile: [
    {
      name: 'a tree',
      prepare: async (scene) => ({ method: 'PUT', path: `/files/${(await tree(scene)).outer.id}/block` }),
    },
  ],
  unblockFile: [
    {
      name: 'a tree',
      prepare: async (scene) => ({ method: 'DELETE', path: `/files/${(await tree(scene)).outer.id}/block` }),
    },
  ],
}
