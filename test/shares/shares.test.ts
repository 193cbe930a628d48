import { describe, expect, it } from 'vitest'
import { idOf, newKey } from '../support/ids.ts'
import { meter } from '../support/meter.ts'
import { serviceWith } from '../support/service.ts'
import { signUp, type User } from '../support/user.ts'

const now = () => Math.floor(Date.now() / 1000)

/** Ada's file, and Bob and Eve. */
async function scene(service?: Parameters<typeof signUp>[1]) {
  const [ada, bob, eve] = [
    await signUp('ada', service),
    await signUp('bob', service),
    await signUp('eve', service),
  ]
  return { ada, bob, eve, file: await ada.file('map.txt', 'hello', { mime_type: 'text/plain' }) }
}

const to = (user: User | string, different: Record<string, unknown> = {}) => ({
  grantee_id: typeof user === 'string' ? user : user.id,
  permission: 'view',
  ...different,
})

describe('POST /v1/files/{id}/shares', () => {
  it('answers with the share, with and without an expiry', async () => {
    const { ada, bob, eve, file } = await scene()
    const forever = await ada.createShare(file, to(bob))
    expect(forever.status).toBe(201)
    const share = { id: expect.any(String), file_id: file.id, created_at: expect.any(Number) }
    expect(forever.body).toEqual({ ...share, grantee_id: bob.id, permission: 'view', expires_at: null })
    const expires_at = now() + 60
    const limited = await ada.createShare(file, to(eve, { permission: 'edit', expires_at }))
    expect(limited.body).toEqual({ ...share, grantee_id: eve.id, permission: 'edit', expires_at })
    expect((await ada.createShare(file, to('c', { expires_at: null }))).body).toMatchObject({
      expires_at: null,
    })
  })

  it('replaces permission and expiry when it is shared again, and keeps the id', async () => {
    const { ada, bob, file } = await scene()
    const first = await ada.createShare(file, to(bob, { expires_at: now() + 60 }))
    const again = await ada.createShare(file, to(bob, { permission: 'edit' }))
    expect(again.status).toBe(201)
    expect(again.body).toEqual({ ...(first.body as object), permission: 'edit', expires_at: null })
    expect(await bob.sharedWithMe()).toHaveLength(1)
    await ada.revoke(idOf(first))
    expect(await bob.sharedUrl(idOf(first))).toBeProblem(404, 'SHARE_NOT_FOUND')
  })

  it('refuses what cannot be shared: a folder, an unfinished file, what is not theirs, what is in the trash', async () => {
    const { ada, bob, eve, file } = await scene()
    const folder = await ada.folder()
    expect(await ada.createShare(folder, to(bob))).toBeProblem(409, 'FILE_IS_FOLDER')
    const { file: pending } = await ada.upload({ size_bytes: 1 })
    expect(await ada.createShare(pending ?? '', to(bob))).toBeProblem(409, 'FILE_NOT_READY')
    await ada.change(file, { is_public: true })
    expect(await eve.createShare(file, to(bob))).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.delete(file)
    expect(await ada.createShare(file, to(bob))).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('refuses oneself, and what can be no user, before anything else', async () => {
    const { ada, file } = await scene()
    const nobody = [
      '',
      '.',
      '..',
      ' ',
      '\u3000\u00a0',
      'x'.repeat(129),
      'a\u0000b',
      'a\ud800',
      7,
      null,
      undefined,
    ]
    for (const grantee_id of [ada.id, ...nobody])
      expect(await ada.createShare(file, { grantee_id, permission: 'none' })).toBeProblem(
        400,
        grantee_id === ada.id ? 'VALIDATION_FAILED' : 'SHARE_INVALID_GRANTEE',
      )
    expect(await ada.createShare(file, to(ada))).toBeProblem(400, 'SHARE_INVALID_GRANTEE')
    for (const name of ['\u{1F600}'.repeat(128), '...', ' .'])
      expect((await ada.createShare(file, to(name))).status).toBe(201)
  })

  it('refuses other permissions, a time that is past, and one in milliseconds with a hint', async () => {
    const { ada, bob, file } = await scene()
    for (const permission of ['own', '', null, undefined])
      expect(await ada.createShare(file, to(bob, { permission }))).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/permission',
      )
    for (const expires_at of [now(), now() - 1, 0, -1, 1.5, 'tomorrow'])
      expect(await ada.createShare(file, to(bob, { expires_at }))).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/expires_at',
      )
    const inMilliseconds = await ada.createShare(file, to(bob, { expires_at: Date.now() + 60_000 }))
    expect(inMilliseconds).toBeProblem(400, 'VALIDATION_FAILED', 'milliseconds')
    expect(await bob.sharedWithMe()).toEqual([])
  })

  it('refuses more shares than a file may have, but still changes those that there are', async () => {
    const { ada, bob, file } = await scene(serviceWith({ MAX_SHARES_PER_FILE: '2' }))
    const first = await ada.createShare(file, to(bob))
    await ada.createShare(file, to('eve'))
    expect(await ada.createShare(file, to('carol'))).toBeProblem(409, 'LIMIT_REACHED', '"limit":"shares"')
    expect((await ada.createShare(file, to(bob, { permission: 'edit' }))).body).toMatchObject({
      permission: 'edit',
    })
    await ada.revoke(idOf(first))
    expect((await ada.createShare(file, to('carol'))).status).toBe(201)
  })

  it('makes one share of a request that is repeated with its key', async () => {
    const { ada, bob, file } = await scene()
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.createShare(file, to(bob), key)))
    expect(new Set(answers.map(idOf)).size).toBe(1)
    await ada.createShare(file, to(bob, { permission: 'edit' }))
    expect((await ada.createShare(file, to(bob), key)).body).toMatchObject({ permission: 'edit' })
    expect(await ada.createShare(file, to('eve'), key)).toBeProblem(422, 'IDEMPOTENCY_KEY_REUSED')
    await ada.revoke(idOf(answers[0] ?? { body: {} }))
    expect(await ada.createShare(file, to(bob), key)).toBeProblem(404, 'SHARE_NOT_FOUND')
  })

  it('answers a repetition with the share while the file is in the trash', async () => {
    const { ada, bob } = await scene()
    const folder = await ada.folder()
    const file = await ada.file('a', 'a', { parent_id: folder.id })
    const key = newKey()
    const share = await ada.createShare(file, to(bob), key)
    for (const item of [file, folder]) {
      await ada.delete(item)
      const again = await ada.createShare(file, to(bob), key)
      expect([again.status, again.body]).toEqual([201, share.body])
      expect(await ada.createShare(file, to('eve'))).toBeProblem(404, 'FILE_NOT_FOUND')
      await ada.restore(item)
    }
    await ada.delete(file)
    await ada.purge(file)
    expect(await ada.createShare(file, to(bob), key)).toBeProblem(404, 'SHARE_NOT_FOUND')
  })

  it('leaves its key free when it was refused', async () => {
    const { ada, bob, file } = await scene()
    const key = newKey()
    await ada.createShare(file, to(bob))
    await ada.delete(file)
    expect(await ada.createShare(file, to(bob), key)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.restore(file)
    expect((await ada.createShare(file, to(bob, { permission: 'edit' }), key)).status).toBe(201)
  })
})

describe('GET /v1/files/{id}/shares', () => {
  it('is a bare array of all shares, the oldest first, for the owner only', async () => {
    const { ada, bob, eve, file } = await scene()
    expect((await ada.get(`/files/${file.id}/shares`)).body).toEqual([])
    const shares = [await ada.share(file, bob), await ada.share(file, eve, now() + 60)]
    expect((await ada.get(`/files/${file.id}/shares`)).body).toEqual(shares)
    expect(await bob.get(`/files/${file.id}/shares`)).toBeProblem(404, 'FILE_NOT_FOUND')
    await ada.change(file, { is_public: true })
    expect(await eve.get(`/files/${file.id}/shares`)).toBeProblem(404, 'FILE_NOT_FOUND')
  })
})

describe('shared, in the record of a file', () => {
  /** Whether the user's record, folder and trash say of the file that it is shared. */
  async function saidTo(user: User, { id, parent_id }: { id: string; parent_id: string | null }) {
    const { file } = await user.read(id)
    const { files } = await user.page(parent_id === null ? {} : { parent_id })
    const listed = files.find((one) => one.id === id)
    expect('shared' in (listed ?? {})).toBe('shared' in file)
    expect(listed?.shared).toBe(file.shared)
    return file.shared
  }

  it('is true for the owner while somebody has a share, in every answer with the record, and absent otherwise', async () => {
    const { ada, bob, eve, file } = await scene()
    expect(await saidTo(ada, file)).toBeUndefined()
    const shares = [await ada.share(file, bob), await ada.share(file, eve)]
    expect(await saidTo(ada, file)).toBe(true)
    expect((await ada.change(file, { name: 'plan.txt' })).body).toMatchObject({ shared: true })
    await ada.delete(file)
    expect((await ada.get('/trash')).body).toMatchObject({ files: [{ id: file.id, shared: true }] })
    expect((await ada.restore(file)).body).toMatchObject({ shared: true })
    for (const [share, expected] of [
      [shares[0], true],
      [shares[1], undefined],
    ] as const) {
      await ada.revoke(share?.id ?? '')
      expect(await saidTo(ada, file)).toBe(expected)
    }
  })

  it('is told to nobody but the owner, neither of a public file nor of one in a public folder', async () => {
    const { ada, bob, eve } = await scene()
    const folder = await ada.folder('maps')
    const file = await ada.file('map.txt', 'hello', { parent_id: folder.id })
    await ada.share(file, bob)
    await ada.change(folder, { is_public: true })
    for (const other of [bob, eve]) expect(await saidTo(other, file)).toBeUndefined()
    await ada.change(file, { is_public: true })
    expect((await eve.read(file)).file).not.toHaveProperty('shared')
    expect(await saidTo(ada, file)).toBe(true)
  })
})

describe('DELETE /v1/shares/{id}', () => {
  it('revokes for the owner, gives up for the grantee, and is not there for anyone else', async () => {
    const { ada, bob, eve, file } = await scene()
    const shares = [await ada.share(file, bob), await ada.share(file, eve)]
    expect(await bob.revoke(shares[1] ?? '')).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect((await ada.revoke(shares[0] ?? '')).status).toBe(204)
    expect((await eve.revoke(shares[1] ?? '')).status).toBe(204)
    for (const share of shares) expect(await ada.revoke(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect([...(await bob.sharedWithMe()), ...(await eve.sharedWithMe())]).toEqual([])
  })

  it('works while the file is in the trash', async () => {
    const { ada, bob, file } = await scene()
    const share = await ada.share(file, bob)
    await ada.delete(file)
    expect((await ada.revoke(share)).status).toBe(204)
    await ada.restore(file)
    expect(await bob.sharedUrl(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
  })
})

describe('DELETE /v1/shares?owner_id=', () => {
  it('gives up everything that one owner has shared with the caller, and nothing else', async () => {
    const { ada, bob, eve, file } = await scene()
    const trashed = await ada.file('b', 'b')
    const mine = [await ada.share(file, bob, now() + 60), await ada.share(trashed, bob)]
    await ada.delete(trashed)
    const others = await ada.share(file, eve)
    const eves = await eve.share(await eve.file('c', 'c'), bob)
    const giveUp = (owner_id: string) =>
      bob.request('DELETE', `/shares?owner_id=${encodeURIComponent(owner_id)}`)
    expect((await giveUp(ada.id)).status).toBe(204)
    expect((await bob.sharedWithMe()).map(({ id }) => id)).toEqual([eves.id])
    for (const share of mine) expect(await bob.sharedUrl(share)).toBeProblem(404, 'SHARE_NOT_FOUND')
    expect((await ada.get(`/files/${file.id}/shares`)).body).toEqual([others])
    expect((await eve.sharedUrl(others)).status).toBe(200)
    const again = await ada.share(file, bob)
    expect(again.id).not.toBe(mine[0]?.id)
    expect((await bob.sharedUrl(again)).status).toBe(200)
    for (const nobody of [bob.id, 'nobody', 'a%2Fb', '\u{1F600}'])
      expect((await giveUp(nobody)).status).toBe(204)
    expect((await bob.sharedWithMe()).map(({ id }) => id)).toEqual([again.id, eves.id])
  })

  it('takes the id of a user, and nothing less', async () => {
    const { ada, bob, file } = await scene()
    await ada.share(file, bob)
    for (const query of ['', '?owner_id=', `?owner_id=${'x'.repeat(129)}`, '?owner_id=a%00b'])
      expect(await bob.request('DELETE', `/shares${query}`)).toBeProblem(
        400,
        'VALIDATION_FAILED',
        '/owner_id',
      )
    expect(await bob.sharedWithMe()).toHaveLength(1)
  })

  it('ends at most as many as one owner may share with one user, in one statement', async () => {
    const { service, of } = meter({ MAX_SHARES_PER_GRANTEE: '2' })
    const { ada, bob, eve, file } = await scene(service)
    const files = [file, await ada.file('b', 'b'), await ada.file('c', 'c')]
    const [first] = [await ada.share(files[0] ?? '', bob), await ada.share(files[1] ?? '', bob)]
    const limit = [409, 'LIMIT_REACHED', '"limit":"shares_with_grantee"'] as const
    expect(await ada.createShare(files[2] ?? '', to(bob))).toBeProblem(...limit)
    expect((await ada.createShare(file, to(bob, { permission: 'edit' }))).body).toMatchObject({
      id: first?.id,
    })
    await ada.share(files[2] ?? '', eve)
    const cost = await of(() => bob.request('DELETE', `/shares?owner_id=${ada.id}`))
    expect(cost).toMatchObject({ trips: 1, r2_calls: 0 })
    expect(cost.rows_written).toBeLessThanOrEqual(2 * 7)
    expect(cost.rows_read).toBeLessThanOrEqual(2 * 6)
    expect((await ada.createShare(files[2] ?? '', to(bob))).status).toBe(201)
  })
})

describe('GET /v1/shares/{id}/url', () => {
  it('serves the grantee the content, and never longer than the share lasts', async () => {
    const { ada, bob, file } = await scene()
    const share = await ada.share(file, bob, now() + 100)
    const { body, status } = await bob.sharedUrl(share)
    expect(status).toBe(200)
    const { url, expires_at } = body as { url: string; expires_at: number }
    expect(expires_at).toBeLessThanOrEqual(share.expires_at ?? 0)
    expect(Number(new URL(url).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(100)
    const response = await bob.fetchSigned(url)
    expect(await response.text()).toBe('hello')
    const forever = await ada.share(file, await signUp(), now() + 10_000)
    expect(forever.expires_at).toBeGreaterThan(now() + 9_000)
  })

  it('serves who may edit just as who may only view', async () => {
    const { ada, bob, file } = await scene()
    const share = await ada.createShare(file, to(bob, { permission: 'edit' }))
    const { body } = await bob.sharedUrl(idOf(share))
    expect(await (await bob.fetchSigned((body as { url: string }).url)).text()).toBe('hello')
    expect(await bob.change(file, { name: 'mine' })).toBeProblem(404, 'FILE_NOT_FOUND')
    const replacing = { upload_type: 'file', file_id: file.id, size_bytes: 1, mime_type: 'text/plain' }
    expect(await bob.startUpload(replacing)).toBeProblem(404, 'FILE_NOT_FOUND')
  })

  it('works for a user who came after the share was made', async () => {
    const { ada, file } = await scene()
    const late = await signUp('late')
    const share = await ada.share(file, late)
    expect((await late.sharedUrl(share)).status).toBe(200)
  })
})

describe('GET /v1/shares', () => {
  it('lists what has been shared with the caller, newest first, with the file', async () => {
    const { ada, bob, eve, file } = await scene()
    const other = await eve.file('other.png', 'xyz', {
      mime_type: 'image/png',
      asset_type: 'chat_attachment',
    })
    const shares = [await ada.share(file, bob), await eve.share(other, bob, now() + 60)]
    await ada.delete(file)
    expect((await bob.get('/shares')).body).toEqual({
      shares: [
        {
          ...shares[1],
          file: {
            id: other.id,
            name: 'other.png',
            asset_type: 'chat_attachment',
            size_bytes: 3,
            mime_type: 'image/png',
            owner_id: eve.id,
            in_trash: false,
          },
        },
        {
          ...shares[0],
          file: {
            id: file.id,
            name: 'map.txt',
            asset_type: 'file',
            size_bytes: 5,
            mime_type: 'text/plain',
            owner_id: ada.id,
            in_trash: true,
          },
        },
      ],
      next_cursor: null,
    })
  })

  it('knows the trash from above, too, and leaves out what was purged', async () => {
    const { ada, bob } = await scene()
    const folder = await ada.folder()
    const inner = await ada.folder('inner', { in: folder })
    const file = await ada.file('a', 'a', { parent_id: inner.id })
    await ada.share(file, bob)
    await ada.delete(folder)
    expect((await bob.sharedWithMe()).map(({ file }) => file.in_trash)).toEqual([true])
    await ada.purge(folder)
    expect(await bob.sharedWithMe()).toEqual([])
  })

  it('goes on with a cursor, and takes limits from 1 to 100', async () => {
    const { ada, bob } = await scene()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await ada.share(await ada.file(name, name), bob)
    const seen: string[] = []
    let query = '?limit=2'
    for (let page = 0; page < 3; page++) {
      const answer = (await bob.get(`/shares${query}`)).body as {
        shares: { file: { name: string } }[]
        next_cursor: string | null
      }
      seen.push(...answer.shares.map(({ file }) => file.name))
      query = `?limit=2&cursor=${answer.next_cursor}`
    }
    expect(seen).toEqual([...names].reverse())
    for (const limit of ['0', '101'])
      expect(await bob.get(`/shares?limit=${limit}`)).toBeProblem(400, 'VALIDATION_FAILED')
    for (const cursor of ['x', (await ada.page({ limit: 1 })).next_cursor])
      expect(await bob.get(`/shares?cursor=${cursor}`)).toBeProblem(400, 'INVALID_CURSOR')
  })
})
