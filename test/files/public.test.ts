import { describe, expect, it } from 'vitest'
import { signUp } from '../support/user.ts'

/** Ada's tree: private / shown (public) / inner / file.txt, and a stranger who looks at it. */
async function tree() {
  const [ada, bob] = [await signUp('ada'), await signUp('bob')]
  const secret = await ada.folder('secret')
  const shown = await ada.folder('shown', { in: secret })
  const inner = await ada.folder('inner', { in: shown })
  const file = await ada.file('file.txt', 'hello', { parent_id: inner.id })
  await ada.change(shown, { is_public: true })
  return { ada, bob, secret, shown, inner, file }
}

describe('a public folder', () => {
  it('lets any signed-in user read it and everything below', async () => {
    const { ada, bob, shown, inner, file } = await tree()
    expect((await bob.read(shown)).file).toMatchObject({ id: shown.id, owner_id: ada.id, is_public: true })
    expect(await bob.names({ parent_id: shown.id })).toEqual(['inner'])
    expect(await bob.names({ parent_id: inner.id })).toEqual(['file.txt'])
    expect((await bob.read(file)).file).toMatchObject({ parent_id: inner.id, is_public: false })
    expect(await (await bob.download(file)).text()).toBe('hello')
  })

  it('tells a stranger nothing of what is above it', async () => {
    const { bob, secret, shown, inner, file } = await tree()
    const seen = [await bob.get(`/files/${shown.id}`), await bob.get(`/files/${file.id}`)]
    expect(seen[0]?.body).toMatchObject({ file: { parent_id: null }, ancestors: [] })
    expect(seen[1]?.body).toMatchObject({
      ancestors: [
        { id: shown.id, name: 'shown', asset_type: 'folder' },
        { id: inner.id, name: 'inner', asset_type: 'folder' },
      ],
    })
    seen.push(await bob.get(`/files?parent_id=${shown.id}`), await bob.get(`/files?parent_id=${inner.id}`))
    for (const answer of seen) {
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain(secret.id)
      expect(answer.text).not.toContain('secret')
    }
  })

  it('begins at the topmost public item', async () => {
    const { ada, bob, secret, shown } = await tree()
    await ada.change(secret, { is_public: true })
    expect((await bob.read(shown)).file.parent_id).toBe(secret.id)
    expect((await bob.read(shown)).ancestors.map(({ id }) => id)).toEqual([secret.id])
  })

  it('can be written by its owner only', async () => {
    const { bob, shown, file } = await tree()
    const bobs = await bob.folder('mine')
    for (const item of [shown, file]) {
      expect(await bob.change(item, { name: 'mine' })).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await bob.move(item, { into: null })).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await bob.delete(item)).toBeProblem(404, 'FILE_NOT_FOUND')
    }
    expect(await bob.move(bobs, { into: shown })).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    const upload = { upload_type: 'file', name: 'x', size_bytes: 1, mime_type: 'a/b', parent_id: shown.id }
    expect(await bob.startUpload(upload)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
  })

  it('ends for strangers as soon as it is private, moved out, or in the trash, itself or from above', async () => {
    const gone: ((t: Awaited<ReturnType<typeof tree>>) => Promise<unknown>)[] = [
      ({ ada, shown }) => ada.change(shown, { is_public: false }),
      ({ ada, inner }) => ada.move(inner, { into: null }),
      ({ ada, inner }) => ada.delete(inner),
      ({ ada, shown }) => ada.delete(shown),
      ({ ada, secret }) => ada.delete(secret),
    ]
    for (const end of gone) {
      const t = await tree()
      await end(t)
      for (const item of [t.inner, t.file])
        expect(await t.bob.get(`/files/${item.id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await t.bob.get(`/files/${t.file.id}/url`)).toBeProblem(404, 'FILE_NOT_FOUND')
      expect(await t.bob.get(`/files?parent_id=${t.inner.id}`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    }
  })

  it('does not show its siblings, nor the owner’s root', async () => {
    const { ada, bob, secret } = await tree()
    const sibling = await ada.folder('sibling', { in: secret })
    for (const { id } of [secret, sibling])
      expect(await bob.get(`/files/${id}`)).toBeProblem(404, 'FILE_NOT_FOUND')
    expect(await bob.get(`/files?parent_id=${secret.id}`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect(await bob.names()).toEqual([])
  })
})

describe('a public file', () => {
  it('can be read and downloaded by others, alone', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const folder = await ada.folder('folder')
    const file = await ada.file('a.txt', 'hello', { parent_id: folder.id })
    await ada.change(file, { is_public: true })
    expect(await bob.read(file)).toMatchObject({ file: { parent_id: null }, ancestors: [] })
    expect(await (await bob.download(file)).text()).toBe('hello')
    expect(await bob.get(`/files?parent_id=${folder.id}`)).toBeProblem(404, 'FILE_PARENT_NOT_FOUND')
    expect(await bob.get(`/files?parent_id=${file.id}`)).toBeProblem(409, 'FILE_PARENT_NOT_FOLDER')
  })
})
