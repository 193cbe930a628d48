import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { bytes } from '../support/content.ts'
import { databaseOf, homeOf } from '../support/databases.ts'
import { expectSound } from '../support/invariants.ts'
import { expectRecordsAndObjectsAgree, runJobIn } from '../support/objects.ts'
import type { Upload } from '../support/records.ts'
import { serviceWith } from '../support/service.ts'
import { operator, put, signUp, type User } from '../support/user.ts'

const text = { name: 'a.txt', size_bytes: 5, mime_type: 'text/plain' }
/** When the URLs of now have expired, in days. */
const IN_AN_HOUR = 3_610 / 86_400

const isThere = async ({ id }: Upload) => (await env.BUCKET.head(id)) !== null
const signUpWith = (variables: Record<string, string>) => signUp('ada', serviceWith(variables))

/** Ways for an upload to end without its content. */
const endings: Record<string, (user: User, upload: Upload) => Promise<void>> = {
  aborting: async (user, upload) => {
    expect((await user.abort(upload)).status).toBe(204)
  },
  'a failed completion': async (user, upload) => {
    await put(upload, bytes('hello'), { 'Content-Encoding': 'gzip' })
    expect(await user.complete(upload)).toBeProblem(422, 'UPLOAD_MISMATCH')
  },
  'deleting its file for good': async (user, upload) => {
    await user.delete(upload.file ?? '')
    expect((await user.purge(upload.file ?? '')).status).toBe(204)
    await runJobIn(0)
  },
}

describe.each(Object.entries(endings))('what is sent after %s', (_, end) => {
  it('is gone when the last URL has expired and the job has run', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await end(ada, upload)
    expect((await put(upload, bytes('hello'))).status, 'the URL is still good').toBe(200)
    await runJobIn(0)
    await runJobIn(IN_AN_HOUR)
    expect(await isThere(upload)).toBe(false)
    await env.BUCKET.put(upload.id, 'a PUT that began in time and ended late')
    await runJobIn(1 + IN_AN_HOUR)
    expect(await isThere(upload)).toBe(false)
    expect(
      await databaseOf(upload.id)
        .prepare('SELECT object_key FROM garbage WHERE object_key = ?')
        .bind(upload.id)
        .first(),
    ).toBeNull()
    await expectRecordsAndObjectsAgree()
  })

  it('counts with the open uploads until then', async () => {
    const ada = await signUpWith({ MAX_OPEN_UPLOADS: '2' })
    const declared = { upload_type: 'file', ...text }
    const limit = [409, 'LIMIT_REACHED', '"limit":"open_uploads"'] as const
    const uploads = [await ada.upload(text), await ada.upload(text)]
    for (const upload of uploads) await end(ada, upload)
    expect(await ada.startUpload(declared)).toBeProblem(...limit)
    await expectSound(ada.id)
    await runJobIn(0)
    expect(await ada.startUpload(declared)).toBeProblem(...limit)
    await runJobIn(IN_AN_HOUR)
    expect((await ada.startUpload(declared)).status).toBe(201)
    await expectSound(ada.id)
  })
})

describe('giving up', () => {
  it('is never refused, whatever the limit has become', async () => {
    const upload = await signUpWith({ MAX_OPEN_UPLOADS: '1' }).then(async (ada) => {
      const started = await ada.upload(text)
      await homeOf(ada.id)
        .prepare('UPDATE usage SET max_open_uploads = 0 WHERE user_id = ?')
        .bind(ada.id)
        .run()
      expect((await ada.abort(started)).status).toBe(204)
      await expectSound(ada.id)
      return started
    })
    expect(await isThere(upload)).toBe(false)
  })

  it('does not count what was finished and then deleted', async () => {
    const ada = await signUpWith({ MAX_OPEN_UPLOADS: '1' })
    for (let i = 0; i < 3; i++) {
      const file = await ada.file('a.txt', 'hello')
      await ada.delete(file)
      expect((await ada.purge(file)).status).toBe(204)
      await runJobIn(0)
    }
    expect((await ada.startUpload({ upload_type: 'file', ...text })).status).toBe(201)
    await expectSound(ada.id)
  })

  it('removes what is sent again to the URL of a finished file that was deleted for good', async () => {
    const ada = await signUp()
    const upload = await ada.upload(text)
    await put(upload, bytes('hello'))
    expect((await ada.complete(upload)).status).toBe(200)
    await ada.delete(upload.file ?? '')
    await ada.purge(upload.file ?? '')
    await runJobIn(0)
    expect((await put(upload, bytes('hello'))).status).toBe(200)
    await runJobIn(IN_AN_HOUR)
    expect(await isThere(upload)).toBe(false)
  })

  it('counts no more with a later account when the user is erased', async () => {
    const ada = await signUpWith({ MAX_OPEN_UPLOADS: '1' })
    await ada.abort(await ada.upload(text))
    await (await operator('users:erase')).request('DELETE', `/users/${ada.id}`)
    await runJobIn(61 / 86_400)
    expect((await ada.startUpload({ upload_type: 'file', ...text })).status).toBe(201)
    await expectSound(ada.id)
    await runJobIn(1 + IN_AN_HOUR)
    await expectSound(ada.id)
  })

  it('never keeps a key longer than the upload would have lived', async () => {
    const ada = await signUpWith({ UPLOAD_TTL: '100' })
    const upload = await ada.upload(text)
    await ada.abort(upload)
    const garbage = databaseOf(upload.id)
      .prepare('SELECT writable_until FROM garbage WHERE object_key = ?')
      .bind(upload.id)
    expect(await garbage.first('writable_until')).toBe(upload.expires_at)
  })
})
