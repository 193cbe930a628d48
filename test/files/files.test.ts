import { describe, expect, it } from 'vitest'
import { databaseOf } from '../support/databases.ts'
import { png } from '../support/pictures.ts'
import { fileRecord } from '../support/records.ts'
import { put, signUp } from '../support/user.ts'

const record = {
  ...fileRecord,
  id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/),
}

describe('POST /v1/files', () => {
  it('creates a folder at the root, and answers with its record', async () => {
    const ada = await signUp()
    const before = Math.floor(Date.now() / 1000)
    const answer = await ada.createFolder({ name: 'Maps', asset_type: 'folder' })
    expect(answer.status).toBe(201)
    const folder = { ...record, owner_id: ada.id, name: 'Maps', asset_type: 'folder', size_bytes: 0 }
    expect(answer.body).toEqual({ ...folder, id: expect.stringMatching(/-7[0-9a-f]{3}-9/) })
    const { id, created_at, updated_at } = answer.body as {
      id: string
      created_at: number
      updated_at: number
    }
    expect(answer.headers.get('Location')).toBe(`/v1/files/${id}`)
    expect(created_at).toBe(updated_at)
    expect(created_at).toBeGreaterThanOrEqual(before)
    expect(created_at).toBeLessThan(before + 60)
  })

  it('takes null and nothing alike for the root, and any folder of one’s own', async () => {
    const ada = await signUp()
    const outer = await ada.folder('outer')
    const inner = await ada.folder('inner', { in: outer })
    expect(inner.parent_id).toBe(outer.id)
    const atRoot = await ada.createFolder({ name: 'root', asset_type: 'folder', parent_id: null })
    expect(atRoot.body).toMatchObject({ parent_id: null })
  })

  it('lets two items in one folder have the same name', async () => {
    const ada = await signUp()
    await ada.folder('twin')
    await ada.folder('twin')
    expect(await ada.names()).toEqual(['twin', 'twin'])
  })

  it('refuses a parent that is not there, is another user’s, is public, or is in the trash', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const bobs = await bob.folder()
    await bob.change(bobs, { is_public: true })
    const trashed = await ada.folder()
    const below = await ada.folder('below', { in: trashed })
    await ada.delete(trashed)
    for (const parent_id of ['nobody', '', bobs.id, trashed.id, below.id])
      expect(await ada.createFolder({ name: 'x', asset_type: 'folder', parent_id })).toBeProblem(
        404,
        'FILE_PARENT_NOT_FOUND',
      )
    expect(await ada.names()).toEqual([])
  })

  it('refuses a parent that is a file', async () => {
    const ada = await signUp()
    const file = await ada.file('a.txt', 'a')
    const answer = await ada.createFolder({ name: 'x', asset_type: 'folder', parent_id: file.id })
    expect(answer).toBeProblem(409, 'FILE_PARENT_NOT_FOLDER')
  })

  it('refuses any other type, and names the requests that take content', async () => {
    const ada = await signUp()
    for (const asset_type of ['file', 'emote', 'Folder', '', null, undefined])
      expect(await ada.createFolder({ name: 'x', asset_type })).toBeProblem(
        400,
        'VALIDATION_FAILED',
        'must be folder: content comes in through POST /v1/files/content or POST /v1/uploads',
      )
  })

  it('names the name first when there are several faults', async () => {
    const ada = await signUp()
    expect(await ada.createFolder({ name: '', asset_type: 'file' })).toBeProblem(400, 'FILE_INVALID_NAME')
    expect(await ada.createFolder({})).toBeProblem(400, 'FILE_INVALID_NAME')
  })

  it('ignores members that it does not know', async () => {
    const ada = await signUp()
    const answer = await ada.createFolder({
      name: 'x',
      asset_type: 'folder',
      owner_id: 'bob',
      id: 'mine',
      colour: 1,
    })
    expect(answer.body).toMatchObject({ owner_id: ada.id, name: 'x' })
  })
})

describe('GET /v1/files', () => {
  it('lists the root level with the exact members of folders and files', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const file = await ada.file('file.txt', 'hello', { mime_type: 'text/plain' })
    await ada.folder('inside', { in: folder })
    const { body } = await ada.get('/files')
    const common = { ...record, owner_id: ada.id }
    expect(body).toEqual({
      files: [
        {
          ...common,
          id: file.id,
          name: 'file.txt',
          asset_type: 'file',
          size_bytes: 5,
          mime_type: 'text/plain',
          processing_state: 'ready',
        },
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
      ],
      next_cursor: null,
    })
  })

  it('lists a folder, and only what lies directly in it', async () => {
    const ada = await signUp()
    const outer = await ada.folder('outer')
    const inner = await ada.folder('inner', { in: outer })
    await ada.folder('deeper', { in: inner })
    expect(await ada.names({ parent_id: outer.id })).toEqual(['inner'])
    expect(await ada.names({ parent_id: inner.id })).toEqual(['deeper'])
  })

  it('filters by each type', async () => {
    const ada = await signUp()
    await ada.folder('a folder')
    await ada.file('a file', 'x')
    await ada.file('an attachment', 'x', { asset_type: 'chat_attachment' })
    await ada.file('a picture', png, { asset_type: 'profile_pic', mime_type: 'image/png' })
    await ada.file('an emote', png, { asset_type: 'emote', mime_type: 'image/png' })
    const types = {
      folder: 'a folder',
      file: 'a file',
      chat_attachment: 'an attachment',
      profile_pic: 'a picture',
      emote: 'an emote',
    }
    for (const [asset_type, name] of Object.entries(types))
      expect(await ada.names({ asset_type })).toEqual([name])
  })

  it('sorts by name without regard to case, by time and by size, either way', async () => {
    const ada = await signUp()
    for (const [name, size] of [
      ['b', 30],
      ['A', 10],
      ['C', 20],
    ] as const)
      await ada.file(name, 'x'.repeat(size))
    expect(await ada.names()).toEqual(['A', 'b', 'C'])
    expect(await ada.names({ order: 'desc' })).toEqual(['C', 'b', 'A'])
    expect(await ada.names({ sort: 'size_bytes' })).toEqual(['b', 'C', 'A'])
    expect(await ada.names({ sort: 'size_bytes', order: 'asc' })).toEqual(['A', 'C', 'b'])
    expect(await ada.names({ sort: 'created_at' })).toEqual(['C', 'A', 'b'])
    expect(await ada.names({ sort: 'created_at', order: 'asc' })).toEqual(['b', 'A', 'C'])
  })

  it('puts what is equal in the order of the ids, the way that it sorts', async () => {
    const ada = await signUp()
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push((await ada.folder('same')).id)
    const up = ids.sort()
    const down = [...up].reverse()
    const idsIn = async (query: Record<string, string>) => (await ada.page(query)).files.map(({ id }) => id)
    expect(await idsIn({})).toEqual(up)
    expect(await idsIn({ order: 'desc' })).toEqual(down)
    expect(await idsIn({ sort: 'size_bytes' })).toEqual(down)
    expect(await idsIn({ sort: 'size_bytes', order: 'asc' })).toEqual(up)
  })

  it('takes a limit from 1 to 500 and refuses what is out of range', async () => {
    const ada = await signUp()
    for (const name of ['a', 'b', 'c']) await ada.folder(name)
    expect((await ada.page({ limit: 1 })).files.length).toBe(1)
    expect((await ada.page({ limit: 500 })).files.length).toBe(3)
    for (const limit of ['0', '501', '-1', '1.5', '1e2', '0x10', ' 5', '', 'many', '99999999999'])
      expect(await ada.get(`/files?limit=${encodeURIComponent(limit)}`)).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/limit',
      )
  })

  it('refuses other sorts, orders and types', async () => {
    const ada = await signUp()
    for (const query of ['sort=colour', 'sort=name;drop', 'order=up', 'asset_type=world', 'asset_type='])
      expect(await ada.get(`/files?${query}`)).toBeProblem(400, 'VALIDATION_FAILED', query.split('=')[0])
  })

  it('refuses a parent that cannot be seen, or that is a file', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const bobs = await bob.folder()
    const file = await ada.file('a', 'a')
    for (const parent_id of ['nobody', '', bobs.id])
      expect(await ada.get(`/files?parent_id=${parent_id}`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect(await ada.get(`/files?parent_id=${file.id}`)).toBeProblem(409, 'FILE_PARENT_NOT_FOLDER')
  })
})

describe('GET /v1/files/{id}', () => {
  it('gives the record and the folders above, from the root down', async () => {
    const ada = await signUp()
    const a = await ada.folder('a')
    const b = await ada.folder('b', { in: a })
    const file = await ada.file('c.txt', 'hello', { parent_id: b.id, mime_type: 'text/plain' })
    const { body } = await ada.get(`/files/${file.id}`)
    expect(body).toEqual({
      file: {
        ...record,
        id: file.id,
        owner_id: ada.id,
        parent_id: b.id,
        name: 'c.txt',
        asset_type: 'file',
        size_bytes: 5,
        mime_type: 'text/plain',
        processing_state: 'ready',
      },
      ancestors: [
        { id: a.id, name: 'a', asset_type: 'folder' },
        { id: b.id, name: 'b', asset_type: 'folder' },
      ],
    })
    expect((await ada.read(a)).ancestors).toEqual([])
  })
})

describe('PATCH /v1/files/{id}', () => {
  it('renames, moves and shows in one go, and answers without what is about content', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const file = await ada.file('a.txt', 'a')
    const answer = await ada.change(file, { name: 'b.txt', parent_id: folder.id, is_public: true })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ...record,
      id: file.id,
      owner_id: ada.id,
      parent_id: folder.id,
      name: 'b.txt',
      asset_type: 'file',
      size_bytes: 1,
      is_public: true,
    })
    expect((await ada.read(file)).file).toMatchObject(answer.body as object)
  })

  it('leaves alone what is not sent', async () => {
    const ada = await signUp()
    const outer = await ada.folder('outer')
    const folder = await ada.folder('folder', { in: outer })
    await ada.change(folder, { is_public: true })
    expect((await ada.change(folder, { name: 'renamed' })).body).toMatchObject({
      name: 'renamed',
      parent_id: outer.id,
      is_public: true,
    })
    expect((await ada.change(folder, { is_public: false })).body).toMatchObject({
      name: 'renamed',
      is_public: false,
    })
    expect((await ada.change(folder, { parent_id: null })).body).toMatchObject({
      parent_id: null,
      name: 'renamed',
    })
  })

  it('moves updated_at, as new content does; the trash and what happens inside do not', async () => {
    const ada = await signUp()
    const [folder, elsewhere] = [await ada.folder('folder'), await ada.folder('elsewhere')]
    const file = await ada.file('file', 'x')
    const replace = async () => {
      const upload = await ada.upload({ name: undefined, file_id: file.id, size_bytes: 1 })
      await put(upload, new Uint8Array(1))
      expect((await ada.complete(upload)).status).toBe(200)
    }
    const moves: [moves: boolean, item: { id: string }, act: () => Promise<unknown>][] = [
      [true, file, () => ada.change(file, { name: 'renamed' })],
      [true, file, () => ada.move(file, { into: folder })],
      [true, file, () => ada.change(file, { is_public: true })],
      [true, file, replace],
      [false, file, () => ada.delete(file).then(() => ada.restore(file))],
      [false, folder, () => ada.change(file, { name: 'again' })],
      [false, folder, () => ada.folder('new', { in: folder })],
      [false, folder, () => ada.move(file, { into: elsewhere })],
    ]
    for (const [does, { id }, act] of moves) {
      await databaseOf(id).prepare('UPDATE files SET updated_at = 7 WHERE id = ?').bind(id).run()
      await act()
      expect((await ada.read(id)).file.updated_at !== 7, String(act)).toBe(does)
    }
  })

  it('takes what lies below along, and nothing else', async () => {
    const ada = await signUp()
    const [from, to] = [await ada.folder('from'), await ada.folder('to')]
    const moved = await ada.folder('moved', { in: from })
    const inside = await ada.folder('inside', { in: moved })
    await ada.move(moved, { into: to })
    expect((await ada.read(inside)).ancestors.map(({ name }) => name)).toEqual(['to', 'moved'])
    expect(await ada.names({ parent_id: from.id })).toEqual([])
  })

  it('refuses to move a folder into itself or its own descendant', async () => {
    const ada = await signUp()
    const outer = await ada.folder('outer')
    const inner = await ada.folder('inner', { in: await ada.folder('middle', { in: outer }) })
    expect(await ada.move(outer, { into: inner })).toBeProblem(409, 'FILE_CYCLIC_MOVE')
    expect(await ada.move(outer, { into: outer })).toBeProblem(409, 'FILE_CYCLIC_MOVE')
    expect((await ada.read(outer)).file.parent_id).toBeNull()
  })

  it('refuses a new parent that is not there, not theirs, in the trash, or a file, the item itself too', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const item = await ada.folder('item')
    const file = await ada.file('file', 'x')
    const bobs = await bob.folder()
    const trashed = await ada.folder()
    await ada.delete(trashed)
    for (const into of ['nobody', '', bobs.id, trashed.id])
      expect(await ada.move(item, { into })).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect(await ada.move(item, { into: file })).toBeProblem(409, 'FILE_PARENT_NOT_FOLDER')
    expect(await ada.move(file, { into: file })).toBeProblem(409, 'FILE_PARENT_NOT_FOLDER')
  })

  it('changes nothing when one of several members is refused', async () => {
    const ada = await signUp()
    const item = await ada.folder('item')
    expect(await ada.change(item, { name: 'renamed', parent_id: 'nobody' })).toBeProblem(
      404,
      'FILE_PARENT_NOT_FOUND',
    )
    expect(await ada.change(item, { name: 'a/b', is_public: true })).toBeProblem(400, 'FILE_INVALID_NAME')
    expect((await ada.read(item)).file).toMatchObject({ name: 'item', is_public: false })
  })

  it('refuses a body with none of its members, and members of another type', async () => {
    const ada = await signUp()
    const item = await ada.folder('item')
    for (const body of [{}, { colour: 'red' }])
      expect(await ada.change(item, body)).toBeProblem(400, 'VALIDATION_FAILED')
    expect(await ada.change(item, { is_public: 'false' })).toBeProblem(400, 'VALIDATION_FAILED', '/is_public')
    expect(await ada.change(item, { is_public: null })).toBeProblem(400, 'VALIDATION_FAILED', '/is_public')
    expect(await ada.change(item, { parent_id: 7 })).toBeProblem(400, 'VALIDATION_FAILED', '/parent_id')
    expect(await ada.change(item, { name: null })).toBeProblem(400, 'FILE_INVALID_NAME')
  })
})

describe('DELETE /v1/files/{id}', () => {
  it('hides the item and everything below it from every endpoint', async () => {
    const ada = await signUp()
    const folder = await ada.folder('folder')
    const inside = await ada.folder('inside', { in: folder })
    const file = await ada.file('file', 'x', { parent_id: inside.id })
    expect((await ada.delete(folder)).status).toBe(204)
    expect(await ada.names()).toEqual([])
    for (const { id } of [folder, inside, file]) {
      for (const path of [`/files/${id}`, `/files/${id}/url`])
        expect(await ada.get(path), path).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await ada.get(`/files?parent_id=${id}`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
      expect(await ada.change(id, { name: 'x' })).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await ada.delete(id)).toBeProblem(404, 'FILE_NOT_FOUND')
    }
  })

  it('leaves the siblings alone', async () => {
    const ada = await signUp()
    const [a] = [await ada.folder('a'), await ada.folder('b')]
    await ada.delete(a)
    expect(await ada.names()).toEqual(['b'])
  })
})

describe('GET /v1/files/{id}/url', () => {
  it('gives a URL that serves the content, with name, type and ranges, until it expires', async () => {
    const ada = await signUp()
    const file = await ada.file('Größe.txt', 'hello world', { mime_type: 'text/plain' })
    const before = Math.floor(Date.now() / 1000)
    const { body, status } = await ada.get(`/files/${file.id}/url`)
    expect(status).toBe(200)
    expect(body).toEqual({
      url: expect.stringContaining('X-Amz-Expires=900'),
      expires_at: expect.any(Number),
    })
    expect((body as { expires_at: number }).expires_at - before - 900).toBeLessThan(5)
    const whole = await ada.download(file)
    expect(await whole.text()).toBe('hello world')
    expect(whole.headers.get('Content-Type')).toBe('text/plain')
    expect(whole.headers.get('Content-Disposition')).toBe(
      "inline; filename=Gr__e.txt; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt",
    )
    const part = await ada.download(file, { Range: 'bytes=6-10' })
    expect([part.status, await part.text(), part.headers.get('Content-Range')]).toEqual([
      206,
      'world',
      'bytes 6-10/11',
    ])
  })

  it('asks R2 for the current name, also after a rename', async () => {
    const ada = await signUp()
    const file = await ada.file('old.txt', 'x')
    await ada.change(file, { name: 'new.txt' })
    const { body } = await ada.get(`/files/${file.id}/url`)
    const url = new URL((body as { url: string }).url)
    expect(url.searchParams.get('response-content-disposition')).toBe('attachment; filename=new.txt')
  })

  it('refuses a folder, and a file whose content is not there yet', async () => {
    const ada = await signUp()
    const folder = await ada.folder()
    expect(await ada.get(`/files/${folder.id}/url`)).toBeProblem(409, 'FILE_IS_FOLDER')
    const { file } = await ada.upload({ size_bytes: 1 })
    expect(await ada.get(`/files/${file?.id}/url`)).toBeProblem(409, 'FILE_NOT_READY')
  })

  it('shows in place only what cannot run as a page', async () => {
    const ada = await signUp()
    const shown = [
      ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
      ...[
        'audio/mpeg',
        'audio/aac',
        'audio/ogg',
        'audio/opus',
        'audio/wav',
        'audio/flac',
        'audio/webm',
        'audio/mp4',
      ],
      ...['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime'],
      'text/plain',
    ]
    const saved = [
      ...['text/html', 'text/xml', 'text/css', 'text/plain+xml', 'text/xsl'],
      ...['image/svg+xml', 'image/bmp', 'image/png+xml', 'image/pngx'],
      ...['audio/x+xml', 'audio/mpegurl', 'video/x+xml', 'video/xml', 'video/mp4+xml', 'video/mp2t'],
      ...['application/pdf', 'application/javascript', 'application/xhtml+xml', 'xvideo/mp4'],
    ]
    for (const mime_type of [...shown, ...saved]) {
      const upload = await ada.upload({ name: 'x', size_bytes: 1, mime_type })
      await put(upload, new Uint8Array(1))
      await ada.complete(upload)
      const response = await ada.download(upload.file ?? '')
      const way = shown.includes(mime_type) ? 'inline' : 'attachment'
      expect([mime_type, response.headers.get('Content-Disposition')]).toEqual([
        mime_type,
        `${way}; filename=x`,
      ])
    }
  })
})
