import { describe, expect, it } from 'vitest'
import { type Answer, comparable } from '../support/answer.ts'
import { Creator, giveQuota, signUpCreator } from '../support/creator.ts'
import { unknownId } from '../support/ids.ts'
import { png } from '../support/pictures.ts'
import { operator } from '../support/user.ts'

const shown = { visibility: 'public' }

/** Makes an asset of Ada's that nobody else may know of, and tells its id. */
type Hide = (ada: Creator) => Promise<string>

async function block(id: string): Promise<void> {
  const moderator = await operator('content:moderate')
  expect((await moderator.request('PUT', `/game/assets/${id}/block`)).status).toBe(204)
}

const hidden: Record<string, Hide> = {
  'a private one': async (ada) => (await ada.asset('secret')).id,
  'a private one without content': async (ada) => (await ada.emptyAsset('secret')).id,
  'a private one with a branch and an open upload': async (ada) => {
    const { id } = await ada.asset('secret')
    const { asset } = await ada.branched(id, 'open branch')
    await ada.editAsset(asset, shown)
    await ada.sent({ asset_id: id })
    return id
  },
  'one that was public': async (ada) => {
    const { id } = await ada.asset('secret', shown)
    await ada.editAsset(id, { visibility: 'private' })
    return id
  },
  'a deleted one': async (ada) => {
    const { id } = await ada.asset('secret', shown)
    await ada.deleteAsset(id)
    return id
  },
  'one deleted for good': async (ada) => {
    const { id } = await ada.asset('secret', shown)
    await ada.deleteAsset(id, '?permanent=true')
    return id
  },
  'a blocked one': async (ada) => {
    const { id } = await ada.asset('secret', shown)
    await block(id)
    return id
  },
  'one blocked and deleted': async (ada) => {
    const { id } = await ada.asset('secret', shown)
    await block(id)
    await ada.deleteAsset(id)
    return id
  },
  'a malformed id': async () => 'no id at all',
  'an id with a NUL': async () => 'a\u0000b',
  'the id of a file': async (ada) => (await ada.file('file', 'file')).id,
}

/** What somebody may try with an id. */
type Attempt = [name: string, attempt: (user: Creator, id: string) => Promise<Answer>]
const at = (id: string, end = '') => `/game/assets/${encodeURIComponent(id)}${end}`
const asks = (method: string, end = '', json?: unknown): Attempt => [
  `${method} ${end} ${JSON.stringify(json) ?? ''}`,
  (user, id) => user.request(method, at(id, end), { json }),
]
const starts = (declared: Record<string, unknown> = {}): Attempt => [
  `an upload of ${JSON.stringify(declared)}`,
  (user, id) => user.startContent({ asset_id: id, ...declared }),
]

const reading: Attempt[] = [
  asks('GET'),
  asks('GET', '/versions'),
  asks('GET', '/versions?limit=1'),
  asks('GET', '/versions?cursor=x'),
  asks('GET', '/branches'),
  asks('GET', '/branches?cursor=x'),
  ...['1', '2', '0', 'x'].flatMap((version) => [
    asks('GET', `/versions/${version}`),
    asks('GET', `/versions/${version}/url`),
  ]),
  ...['world', 'prop', 'file'].map(
    (type): Attempt => [
      `GET public ${type}`,
      (user, id) => user.get(`/game/public/${type}/${encodeURIComponent(id)}`),
    ],
  ),
  asks('POST', '/branch', { name: 'new' }),
  asks('POST', '/branch', { name: 'taken' }),
  asks('POST', '/branch', { name: 'new', from_version: 1 }),
  asks('POST', '/branch', { name: 'new', from_version: 7 }),
  asks('POST', '/branch', { name: '' }),
]

const writing: Attempt[] = [
  asks('PUT', '', { name: 'new' }),
  asks('PUT', '', { name: 'taken' }),
  asks('PUT', '', { name: 'secret', visibility: 'public' }),
  asks('PUT', '', {}),
  ['PUT /preview', (user, id) => user.setPreview(encodeURIComponent(id), png)],
  asks('DELETE', '/preview'),
  asks('DELETE'),
  asks('DELETE', '?permanent=true'),
  asks('POST', '/restore'),
  asks('POST', '/restore', { name: 'taken' }),
  asks('POST', '/versions', { from_version: 1 }),
  asks('POST', '/versions', { from_version: 7 }),
  starts(),
  starts({ size_bytes: 0 }),
  starts({ size_bytes: 2 * 1024 ** 3 }),
  starts({ size_bytes: 6 * 1024 ** 3 }),
  starts({ mime_type: 'none' }),
  starts({ name: 'new' }),
]

/** Those who might want to know: anybody, and an operator with an ordinary user's question, without room for more. */
async function curious(): Promise<Creator[]> {
  const bob = await signUpCreator('bob')
  const { id, token } = await operator('content:moderate quota:write users:erase')
  const full = new Creator(id, token)
  for (const user of [bob, full]) await user.emptyAsset('taken')
  await giveQuota(full, 0)
  return [bob, full]
}

/** Who asks for each hidden asset, and what they are told of an unknown one: no refusal changes it. */
const users = await curious()
const unknown = new Map<string, unknown>()
for (const [name, attempt] of [...reading, ...writing])
  for (const user of users) unknown.set(`${name} ${user.id}`, comparable(await attempt(user, unknownId)))

describe.each(Object.entries(hidden))('%s', (_, hide) => {
  it('cannot be told from an unknown one by anyone but its owner, anywhere', async () => {
    const ada = await signUpCreator('ada')
    const id = await hide(ada)
    const before = await ada.get(at(id))
    for (const [name, attempt] of [...reading, ...writing])
      for (const user of users) {
        const answer = await attempt(user, id)
        expect(comparable(answer), `${name} ${user.id}`).toEqual(unknown.get(`${name} ${user.id}`))
        expect(answer.status, name).toBeOneOf([400, 404])
        expect(answer.text, name).not.toContain(ada.id)
      }
    expect((await ada.get(at(id))).status).toBe(before.status)
    if (before.status === 200) expect((await ada.get(at(id))).body).toEqual(before.body)
    for (const user of users) expect(await user.assetNames('/assets')).toEqual(['taken'])
  })

  it('cannot be told from an unknown one by a key that comes with the request', async () => {
    const ada = await signUpCreator('ada')
    const [id, users] = [await hide(ada), await curious()]
    const tries: ((user: Creator, id: string, key: Record<string, string>) => Promise<Answer>)[] = [
      (user, id, key) => user.request('POST', at(id, '/branch'), { json: { name: 'new' }, headers: key }),
      (user, id, key) =>
        user.request('POST', at(id, '/versions'), { json: { from_version: 1 }, headers: key }),
      (user, id, key) => user.startContent({ asset_id: id }, key),
    ]
    for (const attempt of tries)
      for (const user of users) {
        const answers = []
        for (const one of [id, id, unknownId])
          answers.push(comparable(await attempt(user, one, { 'Idempotency-Key': 'the same' })))
        expect(answers).toEqual([answers[2], answers[2], answers[2]])
      }
  })
})

it('tells nobody but its owner that a public asset could be written to', async () => {
  const ada = await signUpCreator('ada')
  const asset = await ada.asset('public', shown)
  const before = await ada.readAsset(asset)
  for (const user of await curious())
    for (const [name, attempt] of writing) {
      const [answer, unknown] = [await attempt(user, asset.id), await attempt(user, unknownId)]
      expect(comparable(answer), name).toEqual(comparable(unknown))
    }
  expect((await ada.readAsset(asset)).body).toEqual(before.body)
})

it('shows a hidden asset in no list of anybody but its owner', async () => {
  const secrets = []
  for (const hide of Object.values(hidden).slice(0, 8)) secrets.push(await hide(await signUpCreator('ada')))
  const lists = ['public', 'public?q=s', 'public?q=se', 'public?q=secret', 'public?type=world', 'assets']
  for (const user of await curious())
    for (const list of [...lists, 'assets?deleted=true']) {
      const answer = await user.get(`/game/${list}`)
      expect(answer.status).toBe(200)
      for (const id of secrets) expect(answer.text, list).not.toContain(id)
    }
})
