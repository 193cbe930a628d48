import { deleteAsset } from '../../../src/features/assets/delete.ts'
import type { UploadRow } from '../../../src/features/uploads/row.ts'
import type { CreateUpload } from '../../../src/features/uploads/schema.ts'
import { startUpload } from '../../../src/features/uploads/start.ts'
import type { RequestContext } from '../../../src/platform/context.ts'
import { newId } from '../../../src/platform/db/id.ts'
import { newAsset, newVariant, newVersion, replacement, upload } from '../../support/acts.ts'
import { checker } from '../../support/checking.ts'
import { arrive } from '../../support/content.ts'
import { homeOf } from '../../support/databases.ts'
import { png } from '../../support/pictures.ts'
import { service } from '../../support/service.ts'
import { arrived, completion, namedParts, sendPart } from './arrivals.ts'
import type { Asked, Scene } from './scene.ts'
import { stock, stockAsset } from './stock.ts'
import type { Scenario } from './trial.ts'

const headers = { 'Idempotency-Key': 'key' }
/** Everything comes in parts. */
const variables = { MULTIPART_THRESHOLD: '0' }
const content = { size_bytes: 3, mime_type: 'text/plain' }

type Prepare = Scenario['prepare']

const start = (
  name: string,
  declared: (scene: Scene) => Promise<Record<string, unknown>>,
  different = {},
) => {
  const prepare: Prepare = async (scene) => {
    const json = { upload_type: 'file', ...content, ...(await declared(scene)) }
    return { method: 'POST', path: '/uploads', headers, json, ...different }
  }
  return { name, prepare }
}

/** A file that has its content. */
async function ready(work: RequestContext): Promise<string> {
  const id = newId(work.user_id)
  await stock(work, { id, name: 'content', type: 'file' })
  return id
}

const complete = (name: string, prepare: Prepare): Scenario => ({ name, prepare })

/** Of "xxx". */
const checksum_sha256 = 'zS/P6nLZGK9hv4RcOXdAyhbC1aKBW0YUuLl4p+gXJ4M='

async function picture(scene: Scene, bytes: Uint8Array): Promise<Asked> {
  const input: CreateUpload = {
    purpose: 'file',
    name: 'me',
    asset_type: 'profile_pic',
    parent_id: null,
    size_bytes: bytes.length,
    mime_type: 'image/png',
    checksum_sha256: undefined,
  }
  const { upload } = await startUpload(scene.ada, input)
  scene.named('upload', upload)
  await arrive(upload.id, bytes, 'image/png')
  return completion(upload)
}

/** Operations on uploads, each in the circumstances that lead it to other calls. */
export const ofUploads: Record<string, Scenario[]> = {
  startUpload: [
    start('a file', async () => ({ name: 'new' })),
    {
      ...start('a file in parts', async () => ({ name: 'new' }), { variables }),
      usable: async ({ ada }) => {
        const open = 'SELECT id, multipart_id FROM uploads WHERE owner_id = ?'
        const started = await homeOf(ada.user_id).prepare(open).bind(ada.user_id).first<UploadRow>()
        if (!started) throw new Error('there is no upload')
        await sendPart(started)
      },
    },
    start('a file in parts, beyond the quota', async () => ({ name: 'new', size_bytes: 5 * 2 ** 30 }), {
      variables: { ...variables, DEFAULT_QUOTA_BYTES: '1' },
    }),
    start('replacement', async ({ ada }) => ({ file_id: await ready(ada) })),
    start('a new asset', async () => ({ upload_type: 'game_asset', name: 'new', asset_type: 'world' })),
    start('a version', async ({ ada }) => ({
      upload_type: 'game_asset',
      asset_id: (await stockAsset(ada, 'asset', 'private')).id,
    })),
    start('a variant', async ({ ada }) => ({
      upload_type: 'game_asset',
      asset_id: (await stockAsset(ada, 'asset', 'private')).id,
      version: 1,
      platform: 'pc',
    })),
    start('a file in no folder', async () => ({ name: 'new', parent_id: 'none' })),
  ],
  getUpload: [
    {
      name: 'an open one',
      prepare: async (scene) => {
        const { id } = scene.named('upload', (await upload(scene.ada)).upload)
        return { method: 'GET', path: `/uploads/${id}` }
      },
    },
  ],
  abortUpload: [
    {
      name: 'after its content has arrived',
      repeated: { code: 'UPLOAD_NOT_FOUND' },
      prepare: async (scene) => {
        const started = await arrived(scene, upload(scene.ada))
        return { method: 'DELETE', path: `/uploads/${started.upload.id}` }
      },
    },
    {
      name: 'in parts',
      repeated: { code: 'UPLOAD_NOT_FOUND' },
      prepare: async (scene) => {
        const started = await namedParts(scene)
        await sendPart(started)
        return { method: 'DELETE', path: `/uploads/${started.id}` }
      },
    },
  ],
  presignParts: [
    {
      name: 'one, and one has arrived',
      prepare: async (scene) => {
        const started = await namedParts(scene)
        const json = { part_numbers: [1], uploaded: [await sendPart(started)] }
        return { method: 'POST', path: `/uploads/${started.id}/parts`, json }
      },
    },
  ],
  completeUpload: [
    complete('a file', async (scene) => completion((await arrived(scene, upload(scene.ada))).upload)),
    complete('a file with a checksum', async (scene) =>
      completion((await arrived(scene, upload(scene.ada, null, 3, checksum_sha256))).upload),
    ),
    complete('a picture', (scene) => picture(scene, png)),
    complete('what is no picture', (scene) => picture(scene, new Uint8Array(20))),
    complete('in parts', async (scene) => {
      const started = await namedParts(scene)
      return completion(started, { parts: [await sendPart(started)] })
    }),
    complete('in parts, of another size', async (scene) => {
      const started = await namedParts(scene, 4)
      return completion(started, { parts: [await sendPart(started)] })
    }),
    complete('in parts, with a wrong ETag', async (scene) => {
      const started = await namedParts(scene)
      await sendPart(started)
      return completion(started, { parts: [{ part_number: 1, etag: 'wrong' }] })
    }),
    complete('before anything has arrived', async (scene) =>
      completion(scene.named('upload', (await upload(scene.ada)).upload)),
    ),
    complete('of another size', async (scene) =>
      completion((await arrived(scene, upload(scene.ada), 4)).upload),
    ),
    complete('replacement', async (scene) =>
      completion((await arrived(scene, replacement(scene.ada, await ready(scene.ada)))).upload),
    ),
    complete('a new asset', async (scene) =>
      completion((await arrived(scene, newAsset(scene.ada, 'new'))).upload),
    ),
    complete('a version', async (scene) =>
      completion(
        (await arrived(scene, newVersion(scene.ada, (await stockAsset(scene.ada, 'asset', 'private')).id)))
          .upload,
      ),
    ),
    complete('a variant', async (scene) => {
      const { id } = await stockAsset(scene.ada, 'asset', 'private')
      return completion(
        (await arrived(scene, newVariant(scene.ada, id, { version: 1, platform: 'pc' }))).upload,
      )
    }),
    complete('a version of what has been deleted', async (scene) => {
      const { id } = await stockAsset(scene.ada, 'asset', 'private')
      const { upload } = await arrived(scene, newVersion(scene.ada, id))
      await deleteAsset(scene.ada, id)
      return completion(upload)
    }),
    complete('a file that is to be checked', async (scene) => ({
      ...completion((await arrived(scene, upload(scene.ada))).upload),
      variables: checker('file'),
    })),
    complete('again', async (scene) => {
      const asked = completion((await arrived(scene, upload(scene.ada))).upload)
      await scene.ask(asked, service)
      return asked
    }),
  ],
}
