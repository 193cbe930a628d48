import { describe, expect, it } from 'vitest'
import { bytes } from '../support/content.ts'
import { unknownId } from '../support/ids.ts'
import { bookmarkOf, lasting, urlAt } from '../support/urls.ts'
import { operator, signUp } from '../support/user.ts'

describe('the URLs of many files', () => {
  it('are in the order asked for, and each reads its file', async () => {
    const ada = await signUp('ada')
    const files = [await ada.content('a.txt', 'one'), await ada.content('b.txt', 'two')]
    const asked = [...files.toReversed(), ...files].map(({ id }) => id)
    const before = Math.floor(Date.now() / 1000)
    const urls = await ada.urls(asked)
    expect(urls.map(({ id }) => id)).toEqual(asked)
    const contents: string[] = []
    for (const { url = '', expires_at } of urls) {
      expect(expires_at).toBeGreaterThan(before)
      contents.push(await (await ada.fetchSigned(url)).text())
    }
    expect(contents).toEqual(['two', 'one', 'one', 'two'])
  })

  it('have the answers of the single requests, for the owner and for others', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const open = await ada.folder('open')
    await ada.change(open, { is_public: true })
    const inner = await ada.folder('inner', { in: open })
    const deep = await ada.file('deep.png', bytes('deep'), { parent_id: inner.id, mime_type: 'image/png' })
    const shown = await ada.content('shown.txt', 'shown')
    await ada.change(shown, { is_public: true })
    const hidden = await ada.content('ä"% name.txt', 'hidden')
    const pending = await ada.upload({ name: 'pending', size_bytes: 1 })
    const trashed = await ada.content('trashed', 'x')
    await ada.delete(trashed)
    const below = await ada.folder('below')
    const lost = await ada.file('lost', bytes('x'), { parent_id: below.id })
    await ada.delete(below)
    const purged = await ada.content('purged', 'x')
    await ada.delete(purged)
    await ada.purge(purged)
    const blocked = await ada.content('blocked', 'x')
    await ada.change(blocked, { is_public: true })
    const moderator = await operator('content:moderate')
    expect((await moderator.request('PUT', `/files/${blocked.id}/block`)).status).toBe(204)
    const his = await bob.content('his', 'x')
    const ids = [open, deep, shown, hidden, trashed, lost, purged, blocked, his].map(({ id }) => id)
    ids.push(pending.file?.id ?? '', unknownId, deep.id)
    for (const user of [ada, bob]) {
      const single: object[] = []
      for (const id of ids) single.push({ id, ...(await urlAt(user, `/files/${id}/url`)) })
      expect(lasting(await user.urls(ids))).toEqual(lasting(single))
    }
    expect((await ada.urls(ids)).map(({ code }) => code ?? 'url').toSorted()).toEqual(
      [
        ...Array.from({ length: 5 }, () => 'url'),
        ...Array.from({ length: 5 }, () => 'FILE_NOT_FOUND'),
        'FILE_IS_FOLDER',
        'FILE_NOT_READY',
      ].toSorted(),
    )
  })

  it('of text that is no id are FILE_NOT_FOUND', async () => {
    const ada = await signUp('ada')
    const file = await ada.content('a', 'x')
    const ids = [
      '',
      '../x',
      'urls',
      file.id.toUpperCase(),
      `${file.id} `,
      "' OR 1=1",
      '\ud800',
      '0'.repeat(500),
    ]
    expect(await ada.urls([...ids, file.id])).toEqual([
      ...ids.map((id) => ({ id, code: 'FILE_NOT_FOUND' })),
      expect.objectContaining({ id: file.id, url: expect.any(String) }),
    ])
  })

  it('of a file that is private again are FILE_NOT_FOUND at once, whatever bookmark a request has', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const file = await ada.content('a', 'x')
    await ada.change(file, { is_public: true })
    const headers = await bookmarkOf(bob)
    expect(await bob.urls([file.id])).toMatchObject([{ url: expect.any(String) }])
    await ada.change(file, { is_public: false })
    const answer = await bob.request('POST', '/files/urls', { json: { ids: [file.id] }, headers })
    expect(answer.body).toEqual({ urls: [{ id: file.id, code: 'FILE_NOT_FOUND' }] })
  })

  it('are asked for up to 100 files, and for one at least', async () => {
    const ada = await signUp('ada')
    const { id } = await ada.content('a', 'x')
    expect(await ada.urls(Array.from({ length: 100 }, () => id))).toHaveLength(100)
    for (const ids of [[], Array.from({ length: 101 }, () => id), id, [1], [null], undefined])
      expect(await ada.request('POST', '/files/urls', { json: { ids } })).toBeProblem(
        400,
        'VALIDATION_FAILED',
      )
  })
})
