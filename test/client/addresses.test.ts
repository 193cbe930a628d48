import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient, NetworkError } from '#client'
import { createStudio } from '#client/studio'
import { endpoints } from '../support/description.ts'
import { tokenFor } from '../support/identities.ts'
import { newNamedId } from '../support/ids.ts'
import { type Fetch, origin } from '../support/service.ts'
import { atOnce, losing, methodOf, newClient, noting } from './client.ts'

const withIds = (await endpoints())
  .filter(
    ({ path, operation }) =>
      path.startsWith('/v1/') && path.includes('{') && operation.operationId !== 'replaceContent',
  )
  .map(({ path, operation }) => ({
    name: operation.operationId,
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id),
  }))

const bytes = new Uint8Array(1)
const content = { content: bytes, bytes, mime_type: 'text/plain' }

/** Calls the method of an operation with arguments that its types may not allow, and with content, which most ignore. */
async function called(name: string, given: Record<string, unknown>, fetch: Fetch): Promise<unknown> {
  const options = { baseUrl: origin, token: await tokenFor(newNamedId('user')), fetch }
  const method = methodOf(name, createClient(options), createStudio(options))
  const result: unknown = method({ ...given, ...content })
  return result instanceof Promise ? result : Reflect.get(Object(result), 'page')?.call(result)
}

describe('an id that a URL takes for a step to another path', () => {
  it.each(withIds)('is refused before $name sends a request', async ({ name, ids }) => {
    const { requests, fetch } = noting()
    for (const id of ids)
      for (const wrong of ['.', '..', '', undefined, null, {}]) {
        const given = { ...Object.fromEntries(ids.map((other) => [other, '1'])), [id]: wrong }
        await expect(called(name, given, fetch), `${id}: ${wrong}`).rejects.toThrow(
          new RegExp(`^${id} is .*, which can't be one\\.$`),
        )
      }
    expect(requests).toEqual([])
  })

  it('stands beside names that are refused where they would be ignored: of members, of options, of conditions', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    const call = async (noun: object, method: string, ...given: object[]): Promise<unknown> =>
      Reflect.apply(Reflect.get(noun, method), noun, given)
    const { files, saves, shares } = client
    for (const [wrong, mistake] of [
      [call(files, 'createFolder', { name: 'a', parentId: 'b' }), 'no member parentId'],
      [call(files, 'upload', { content: 'a', name: 'a', onProgress: () => {} }), 'no member onProgress'],
      [call(files, 'upload', { content: 'a', name: 'a' }, { upload_id: 'b' }), 'no option upload_id'],
      [
        call(shares, 'create', { id: 'a', grantee_id: 'b', permission: 'view', expiresAt: 1 }),
        'no member expiresAt',
      ],
      [call(files, 'edit', { id: 'a', name: 'b' }, { if_match: '"1"' }), 'no option if_match'],
      [call(files, 'edit', { id: 'a', name: 'b' }, { ifMatch: undefined }), 'ifMatch is undefined'],
      [call(files, 'upload', { content: 'a', file_id: 'b' }, { ifMatch: undefined }), 'ifMatch is undefined'],
      [call(saves, 'write', { slot: 'a', bytes: 'b', playedSeconds: 1 }), 'no member playedSeconds'],
      [call(saves, 'write', { slot: 'a', bytes: 'b' }, { ifMatch: '"1"' }), 'A save takes no ifMatch'],
    ] as const)
      await expect(wrong, mistake).rejects.toThrow(mistake)
    expect(requests).toEqual([])
  })

  it('is refused by downloads, uploads and saves, too', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    await expect(client.files.download({ id: '..' })).rejects.toThrow(TypeError)
    await expect(client.assets.download({ id: '.', version: 1 })).rejects.toThrow(TypeError)
    await expect(client.files.upload({ content: 'a', file_id: '..' })).rejects.toThrow(TypeError)
    await expect(
      client.files.upload({ content: new Blob(['a']), name: 'a' }, { uploadId: '..' }),
    ).rejects.toThrow(TypeError)
    for (const slot of ['.', '..', '']) {
      await expect(client.saves.write({ slot, bytes: new Uint8Array() })).rejects.toThrow(
        /^slot is .*, which can't be one/,
      )
      await expect(client.saves.read({ slot })).rejects.toThrow(/^slot is .*, which can't be one/)
    }
    expect(requests).toEqual([])
  })

  it('is any other text when it only holds dots, slashes or their encoding', async () => {
    const { requests, fetch } = noting()
    const client = await newClient(fetch)
    for (const id of ['...', '%2e%2e', '../quota', 'a/../b', '.\\..'])
      await expect(client.files.get({ id })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v1/files/...',
      '/v1/files/%252e%252e',
      '/v1/files/..%2Fquota',
      '/v1/files/a%2F..%2Fb',
      '/v1/files/.%5C..',
    ])
  })
})

it.each([undefined, null, '', 5])(
  'the token %s is named before a request, as the setting or from a function',
  async (token) => {
    const { requests, fetch } = noting()
    const given = token as never
    expect(() => createClient({ baseUrl: origin, token: given, fetch })).toThrow(
      /^token is .*: give createClient/,
    )
    const client = createClient({ baseUrl: origin, token: () => given, fetch })
    await expect(client.quota.get()).rejects.toThrow(/^token is .*: give createClient/)
    expect(requests).toEqual([])
  },
)

it('an address that ends in /v1 is named, with what to leave out', () => {
  for (const end of ['/v1', '/v1/', '/storage/v1'])
    expect(() => createClient({ baseUrl: `${origin}${end}`, token: 'a' })).toThrow(/leave out the \/v1/)
})

describe('the address of the service', () => {
  it.each([
    undefined,
    '',
    'storage.example.com',
    '/api',
    'ftp://storage.example.com',
    'https://',
    'http://a b',
    'http://[',
    'https://storage.example.com?x=1',
  ])('is named when %s is given for it, with what to do', (baseUrl) => {
    const options: ClientOptions = { baseUrl: '', token: 'a', ...Object.fromEntries([['baseUrl', baseUrl]]) }
    expect(() => createClient(options)).toThrow(TypeError)
    expect(() => createClient(options)).toThrow(
      /^baseUrl is (missing|".*"): give createClient the address of the service, like https:\/\/storage\.example\.com\.$/,
    )
  })

  it('may have a path, and slashes at its end', async () => {
    const { requests, fetch } = noting(async () => new Response('{}', { status: 404 }))
    const client = await newClient(fetch, { baseUrl: `${origin}/behind/a/proxy//`, retry: { attempts: 1 } })
    await expect(client.quota.get()).rejects.toThrow(NetworkError)
    expect(requests.map(({ url }) => url)).toEqual([`${origin}/behind/a/proxy/v1/quota`])
  })

  it('is named when no answer comes from it, with what to look at and the cause', async () => {
    const cause = new TypeError('fetch failed')
    const client = await newClient(() => Promise.reject(cause), { retry: { attempts: 1 } })
    await expect(client.quota.get()).rejects.toMatchObject({
      name: 'NetworkError',
      message: expect.stringMatching(`^No answer from ${origin}\\. Is the service there, .*CORS_ORIGINS`),
      cause,
    })
  })

  it('is that of storage, without the signature, when content does not arrive', async () => {
    const cause = new TypeError('fetch failed')
    const { fetch } = noting((request, next) =>
      new URL(request.url).pathname.startsWith('/v1/') ? next(request) : Promise.reject(cause),
    )
    const client = await newClient(fetch, { retry: { ...atOnce, attempts: 1 } })
    const refused = {
      name: 'NetworkError',
      message: expect.stringMatching(/^No answer from https?:\/\/[\w.:-]+\. Is .*CORS/),
      cause,
    }
    await expect(
      client.files.upload({ content: new Blob(['a']), name: 'a' }, { onStarted: () => {} }),
    ).rejects.toMatchObject(refused)
  })
})

describe('a redirect', () => {
  const redirecting = (response: () => Response) => noting(async () => response())

  it('is not followed by any request: it is told, with where it leads', async () => {
    const { requests, fetch } = redirecting(() =>
      Response.redirect('https://elsewhere.example/v1/quota', 307),
    )
    const client = await newClient(fetch, { retry: { attempts: 1 } })
    await expect(client.quota.get()).rejects.toMatchObject({
      name: 'NetworkError',
      message: expect.stringMatching(/redirect to https:\/\/elsewhere\.example\/v1\/quota, .*baseUrl/),
    })
    await expect(client.trash.empty()).rejects.toThrow(/redirect/)
    expect(requests.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })

  it('is told in a browser, which does not say where it leads', async () => {
    const opaque = () =>
      Object.defineProperties(new Response(null), {
        type: { value: 'opaqueredirect' },
        status: { value: 0 },
        ok: { value: false },
      })
    const client = await newClient(redirecting(opaque).fetch, { retry: { attempts: 1 } })
    await expect(client.quota.get()).rejects.toThrow(
      /^The answer is a redirect, which the token does not follow\. /,
    )
  })
})

describe('a deletion of all that there is', () => {
  const isDelete = ({ method }: Request) => method === 'DELETE'

  it('is not repeated by itself when its answer is lost: what was trashed since stays', async () => {
    const { requests, fetch } = losing(1, isDelete)
    const client = await newClient(fetch)
    await expect(client.trash.empty()).rejects.toThrow(NetworkError)
    expect(requests).toHaveLength(1)
  })

  it('is every DELETE that names nothing', async () => {
    const deletions = (await endpoints()).filter(
      ({ method, path }) => method === 'DELETE' && !path.includes('{'),
    )
    expect(deletions.map(({ operation }) => operation.operationId)).toEqual([
      'emptyTrash',
      'leaveSharesOfOwner',
    ])
    const { requests, fetch } = losing(9, isDelete)
    const client = await newClient(fetch)
    await expect(client.shares.leaveOwner({ owner_id: 'ada' })).rejects.toThrow(NetworkError)
    expect(requests).toHaveLength(1)
  })
})
