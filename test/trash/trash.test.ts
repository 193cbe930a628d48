import { describe, expect, it } from 'vitest'
import { expectSound } from '../support/invariants.ts'
import { fileRecord } from '../support/records.ts'
import { signUp } from '../support/user.ts'

describe('GET /v1/trash', () => {
  it('lists what was deleted directly with its exact members, most recent deletion first', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const inside = await ada.folder('inside', { in: folder })
    const file = await ada.file('file.txt', 'hello', { mime_type: 'text/plain', parent_id: folder.id })
    await ada.delete(file)
    await ada.delete(folder)
    const common = { ...fileRecord, owner_id: ada.id }
    expect((await ada.get('/trash')).body).toEqual({
      files: [
        {
          ...common,
          id: folder.id,
          name: 'folder',
          asset_type: 'folder',
          size_bytes: 0,
          mime_type: null,
          processing_state: null,
          shortcode: null,
        },
        {
          ...common,
          id: file.id,
          parent_id: folder.id,
          name: 'file.txt',
          asset_type: 'file',
          size_bytes: 5,
          mime_type: 'text/plain',
          processing_state: 'ready',
        },
      ],
      next_cursor: null,
    })
    expect(inside.parent_id).toBe(folder.id)
  })

  it('goes on with a cursor, shows each once, and takes limits from 1 to 500', async () => {
    const ada = await signUp()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await ada.delete(await ada.folder(name))
    const seen: string[] = []
    let query = '?limit=2'
    for (let page = 0; page < 3; page++) {
      const { files, next_cursor } = (await ada.get(`/trash${query}`)).body as {
        files: { name: string }[]
        next_cursor: string
      }
      seen.push(...files.map(({ name }) => name))
      query = `?limit=2&cursor=${next_cursor}`
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
    for (const limit of ['0', '501', 'x'])
      expect(await ada.get(`/trash?limit=${limit}`)).toBeProblem(400, 'VALIDATION_FAILED')
    const { next_cursor } = await ada.page({ limit: 1 })
    expect(next_cursor).toBeNull()
    expect(await ada.get('/trash?cursor=x')).toBeProblem(400, 'INVALID_CURSOR')
  })

  it('shows nobody else’s trash', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    await ada.delete(await ada.folder('hers'))
    expect(await bob.trashed()).toEqual([])
  })
})

describe('POST /v1/trash/{id}/restore', () => {
  it('brings an item back to its place, and answers with its record', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const file = await ada.file('file.txt', 'hello', { parent_id: folder.id })
    const before = (await ada.read(file)).file
    await ada.delete(file)
    const answer = await ada.restore(file)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(before)
    expect((await ada.get(`/files/${file.id}`)).headers.get('ETag')).toBe(answer.headers.get('ETag'))
    expect(await ada.names({ parent_id: folder.id })).toEqual(['file.txt'])
    expect(await ada.trashed()).toEqual([])
    expect(await (await ada.download(file)).text()).toBe('hello')
  })

  it('brings back what went with a folder, and nothing that had been deleted before', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const [kept, earlier] = [
      await ada.folder('kept', { in: folder }),
      await ada.folder('earlier', { in: folder }),
    ]
    const below = await ada.folder('below', { in: kept })
    await ada.delete(earlier)
    await ada.delete(folder)
    await ada.restore(folder)
    expect(await ada.names({ parent_id: folder.id })).toEqual(['kept'])
    expect((await ada.read(below)).ancestors.map(({ name }) => name)).toEqual(['folder', 'kept'])
    expect(await ada.trashed()).toEqual(['earlier'])
    expect((await ada.restore(earlier)).body).toMatchObject({ parent_id: folder.id })
  })

  it('puts an item at root level when its folder is in the trash or gone', async () => {
    const ada = await signUp()
    const [folder, other] = [await ada.folder('folder'), await ada.folder('other')]
    const [a, b] = [await ada.folder('a', { in: folder }), await ada.folder('b', { in: other })]
    for (const item of [a, b, folder, other]) await ada.delete(item)
    await ada.purge(other)
    for (const item of [a, b]) expect((await ada.restore(item)).body).toMatchObject({ parent_id: null })
    expect(await ada.names()).toEqual(['a', 'b'])
    await ada.restore(folder)
    expect(await ada.names({ parent_id: folder.id })).toEqual([])
  })

  it('restores something inside a deleted folder by itself, at root level, with what is below it', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const inside = await ada.folder('inside', { in: folder })
    const below = await ada.folder('below', { in: inside })
    await ada.delete(folder)
    expect((await ada.restore(inside)).body).toMatchObject({ parent_id: null })
    expect((await ada.read(below)).ancestors.map(({ name }) => name)).toEqual(['inside'])
    expect(await ada.trashed()).toEqual(['folder'])
  })

  it('refuses what is not in the trash, is not theirs, or was purged', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const live = await ada.folder()
    expect(await ada.restore(live)).toBeProblem(409, 'FILE_NOT_TRASHED')
    await ada.change(live, { is_public: true })
    expect(await bob.restore(live)).toBeProblem(404, 'FILE_NOT_FOUND')
    const inside = await ada.folder('inside', { in: live })
    await ada.delete(live)
    for (const item of [live, inside]) expect(await bob.restore(item)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.purge(live)
    for (const item of [live, inside]) expect(await ada.restore(item)).toBeProblem(404, 'FILE_NOT_FOUND')
  })
})

describe('DELETE /v1/trash/{id}', () => {
  it('deletes for good: gone from every answer at once, and what it held is released', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const file = await ada.file('file', 'hello', { parent_id: folder.id })
    await ada.delete(folder)
    expect((await ada.quota()).used_bytes).toBe(5)
    expect((await ada.purge(folder)).status).toBe(204)
    expect(await ada.trashed()).toEqual([])
    for (const { id } of [folder, file]) {
      expect(await ada.get(`/files/${id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await ada.restore(id)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await ada.purge(id)).toBeProblem(404, 'FILE_NOT_FOUND')
    }
    await expectSound(ada.id)
  })

  it('leaves what was deleted before the folder around it in its own place in the trash', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const earlier = await ada.folder('earlier', { in: folder })
    const below = await ada.file('below', 'x', { parent_id: earlier.id })
    await ada.delete(earlier)
    await ada.delete(folder)
    await ada.purge(folder)
    expect(await ada.trashed()).toEqual(['earlier'])
    await ada.restore(earlier)
    expect(await (await ada.download(below)).text()).toBe('x')
    await expectSound(ada.id)
  })

  it('deletes something inside a deleted folder by itself', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const [inside] = [await ada.folder('inside', { in: folder }), await ada.folder('other', { in: folder })]
    await ada.delete(folder)
    expect((await ada.purge(inside)).status).toBe(204)
    await ada.restore(folder)
    expect(await ada.names({ parent_id: folder.id })).toEqual(['other'])
  })

  it('ends uploads and shares at once also far below, where no row has been removed yet', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const top = await ada.folder('top')
    let deep = top
    for (const name of ['a', 'b', 'c', 'd']) deep = await ada.folder(name, { in: deep })
    const upload = await ada.upload({ size_bytes: 5, parent_id: deep.id })
    const share = await ada.share(await ada.file('shared', 'x', { parent_id: deep.id }), bob)
    await ada.delete(top)
    await ada.purge(top)
    expect(await ada.get(`/uploads/${upload.id}`)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect(await ada.complete(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    for (const user of [ada, bob]) expect(await user.revoke(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect(await bob.sharedUrl(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect(await bob.sharedWithMe()).toEqual([])
    await expectSound(ada.id)
  })

  it('refuses what is not in the trash, and what is not theirs', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const item = await ada.folder()
    expect(await ada.purge(item)).toBeProblem(409, 'FILE_NOT_TRASHED')
    await ada.delete(item)
    expect(await bob.purge(item)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await ada.trashed()).toEqual(['folder'])
  })

  it('ends the uploads of what it deletes', async () => {
    const ada = await signUp()
    const upload = await ada.upload({ size_bytes: 5 })
    await ada.delete(upload.file ?? '')
    await ada.purge(upload.file ?? '')
    expect(await ada.complete(upload)).toBeProblem(404, 'UPLOAD_NOT_FOUND')
    expect((await ada.quota()).used_bytes).toBe(0)
    await expectSound(ada.id)
  })
})

describe('DELETE /v1/trash', () => {
  it('empties the trash, and only the trash, and only one’s own', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    await bob.delete(await bob.folder('his'))
    await ada.folder('kept')
    for (const name of ['a', 'b']) await ada.delete(await ada.file(name, 'hello'))
    for (let i = 0; i < 2; i++) expect((await ada.request('DELETE', '/trash')).status).toBe(204)
    expect(await ada.trashed()).toEqual([])
    expect(await ada.names()).toEqual(['kept'])
    expect(await bob.trashed()).toEqual(['his'])
    expect((await ada.quota()).used_bytes).toBe(0)
    await expectSound(ada.id)
  })
})
