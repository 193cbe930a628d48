import { describe, expect, it } from 'vitest'
import { bytes } from '../support/content.ts'
import { unknownId } from '../support/ids.ts'
import { operator, signUp, type User } from '../support/user.ts'

/** The answer of a request for one URL, as the request for many has it. */
async function alone(user: User, id: string) {
  const { status, body } = await user.get(`/files/${id}/url`)
  return status === 200 ? { id, ...body } : { id, code: body.code }
}

/** A URL without its time and signature, which differ from second to second. */
function lasting(answers: Record<string, unknown>[]) {
  return answers.map(({ expires_at, url, ...rest }) => {
    const { origin = '', pathname = '', searchParams } = typeof url === 'string' ? new URL(url) : {}
    return { ...rest, at: origin + pathname, as: searchParams?.get('response-content-disposition') }
  })
}

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
    const deep = await ada.file('deep.png', bytes(3), { parent_id: inner.id, mime_type: 'image/png' })
    const shown = await ada.content('shown.txt', 'shown')
    await ada.change(shown, { is_public: true })
    const hidden = await ada.content('ä"% name.txt', 'hidden')
    const pending = await ada.upload({ name: 'pending', size_bytes: 1 })
    const trashed = await ada.content('trashed', 'x')
    await ada.delete(trashed)
    const below = await ada.folder('below')
    const lost = await ada.file('lost', bytes(1), { parent_id: below.id })
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
      const single = []
      for (const id of ids) single.push(await alone(user, id))
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

  it('end with a revocation at once, also for who reads from a replica', async () => {
    const [ada, bob] = [await signUp('ada'), await signUp('bob')]
    const file = await ada.content('a', 'x')
    await ada.change(file, { is_public: true })
    const first = await bob.get(`/files/${file.id}`)
    const headers = { 'X-D1-Bookmark': first.headers.get('X-D1-Bookmark') ?? '' }
    await ada.change(file, { is_public: false })
    const answer = await bob.request('POST', '/files/urls', { json: { ids: [file.id] }, headers })
    expect(answer.body).toEqual({ urls: [{ id: file.id, code: 'FILE_NOT_FOUND' }] })
  })

  it('are asked for up to 100 files, and for one at least', async () => {
    const ada = await signUp('ada')
    const { id } = await ada.content('a', 'x')
    const ask = (ids: unknown) => ada.request('POST', '/files/urls', { json: { ids } })
    expect((await ask(Array.from({ length: 100 }, () => id))).body.urls).toHaveLength(100)
    for (const ids of [[], Array.from({ length: 101 }, () => id), id, [1], [null], undefined])
      expect(await ask(ids)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  })
})
