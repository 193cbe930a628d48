import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/answer.ts'
import { databaseOf } from '../support/databases.ts'
import { signUp, type User } from '../support/user.ts'

/** What has become of the shared file. */
const situations = {
  live: async () => {},
  'in the trash': async ({ ada, file }) => {
    await ada.delete(file)
  },
  'inside a deleted folder': async ({ ada, inner }) => {
    await ada.delete(inner)
  },
  restored: async ({ ada, file }) => {
    await ada.delete(file)
    await ada.restore(file)
  },
  purged: async ({ ada, file }) => {
    await ada.delete(file)
    await ada.purge(file)
  },
  public: async ({ ada, file }) => {
    await ada.change(file, { is_public: true })
  },
  'in a public folder': async ({ ada, outer }) => {
    await ada.change(outer, { is_public: true })
  },
} satisfies Record<string, (world: World) => Promise<void>>

const actors = [
  'owner',
  'grantee',
  'expired grantee',
  'revoked grantee',
  'stranger',
  'another file’s grantee',
] as const

type Situation = keyof typeof situations
type Actor = (typeof actors)[number]
interface World {
  ada: User
  outer: { id: string }
  inner: { id: string }
  file: { id: string }
  /** The share that is asked for: the actor's own where they have or had one. */
  share: { id: string }
}

const isThere = (situation: Situation) =>
  !['in the trash', 'inside a deleted folder', 'purged'].includes(situation)
const isTrashed = (situation: Situation) =>
  situation === 'in the trash' || situation === 'inside a deleted folder'
const isShown = (situation: Situation) => situation === 'public' || situation === 'in a public folder'

/** An answer in a word: its status, or its code. */
const said = ({ status, body }: Answer) => (status < 400 ? String(status) : (body as { code: string }).code)

type Expected = (actor: Actor, situation: Situation) => string

const readable: Expected = (actor, situation) =>
  isThere(situation) && (actor === 'owner' || isShown(situation)) ? '200' : 'FILE_NOT_FOUND'

const ownersOnly =
  (status: string): Expected =>
  (actor, situation) =>
    actor === 'owner' && isThere(situation) ? status : 'FILE_NOT_FOUND'

const ofTrash =
  (status: string): Expected =>
  (actor, situation) => {
    if (actor !== 'owner' || situation === 'purged') return 'FILE_NOT_FOUND'
    return isTrashed(situation) ? status : 'FILE_NOT_TRASHED'
  }

const sharedUrl: Expected = (actor, situation) => {
  if (situation === 'purged') return 'SHARE_NOT_FOUND'
  if (actor === 'owner' || actor === 'expired grantee') return 'SHARE_ACCESS_DENIED'
  if (actor !== 'grantee') return 'SHARE_NOT_FOUND'
  return isThere(situation) ? '200' : 'FILE_NOT_FOUND'
}

const revocable: Expected = (actor, situation) =>
  ['owner', 'grantee', 'expired grantee'].includes(actor) && situation !== 'purged'
    ? '204'
    : 'SHARE_NOT_FOUND'

const listed: Expected = (actor, situation) => {
  if (actor !== 'grantee' || situation === 'purged') return 'not listed'
  return isTrashed(situation) ? 'listed, in the trash' : 'listed'
}

/** Every endpoint that names the file or the share: what is asked, and the answer of each cell. */
const endpoints: Record<string, [ask: (actor: User, world: World) => Promise<string>, expected: Expected]> = {
  'GET /files/{id}': [async (actor, { file }) => said(await actor.get(`/files/${file.id}`)), readable],
  'GET /files/{id}/url': [
    async (actor, { file }) => said(await actor.get(`/files/${file.id}/url`)),
    readable,
  ],
  'PATCH /files/{id}': [
    async (actor, { file }) => said(await actor.change(file, { name: 'x' })),
    ownersOnly('200'),
  ],
  'DELETE /files/{id}': [async (actor, { file }) => said(await actor.delete(file)), ownersOnly('204')],
  'GET /files/{id}/shares': [
    async (actor, { file }) => said(await actor.get(`/files/${file.id}/shares`)),
    ownersOnly('200'),
  ],
  'POST /files/{id}/shares': [
    async (actor, { file }) =>
      said(await actor.createShare(file, { grantee_id: 'somebody', permission: 'view' })),
    ownersOnly('201'),
  ],
  'POST /trash/{id}/restore': [async (actor, { file }) => said(await actor.restore(file)), ofTrash('200')],
  'DELETE /trash/{id}': [async (actor, { file }) => said(await actor.purge(file)), ofTrash('204')],
  'GET /shares/{id}/url': [async (actor, { share }) => said(await actor.sharedUrl(share)), sharedUrl],
  'DELETE /shares/{id}': [async (actor, { share }) => said(await actor.revoke(share)), revocable],
  'GET /shares': [
    async (actor, { share }) => {
      const found = (await actor.sharedWithMe()).find(({ id }) => id === share.id)
      if (!found) return 'not listed'
      return found.file.in_trash ? 'listed, in the trash' : 'listed'
    },
    listed,
  ],
}

/** Ada's file in two folders, and an actor with the share that they have or had. */
async function build(role: Actor, situation: Situation): Promise<{ actor: User; world: World }> {
  const [ada, other, carol] = [await signUp('ada'), await signUp('other'), await signUp('carol')]
  const outer = await ada.folder('outer')
  const inner = await ada.folder('inner', { in: outer })
  const file = await ada.file('file.txt', 'hello', { parent_id: inner.id })
  const isGrantee = role.endsWith('grantee') && role !== 'another file’s grantee'
  const share = await ada.share(file, isGrantee ? other : carol)
  const world = { ada, outer, inner, file, share }
  if (role === 'expired grantee')
    await databaseOf(share.id).prepare('UPDATE shares SET expires_at = 1 WHERE id = ?').bind(share.id).run()
  if (role === 'revoked grantee') await ada.revoke(share)
  if (role === 'another file’s grantee')
    await ada.share(await ada.file('another', 'x', { parent_id: inner.id }), other)
  await situations[situation](world)
  return { actor: role === 'owner' ? ada : other, world }
}

type Built = Awaited<ReturnType<typeof build>>
const untouched = new Map<string, Built>()

/**
 * A world that is as it was built: a fresh one for a request that changes it. Reads and refused requests share one for each role
 * and situation; when one of them changes something, the answers of others show it.
 */
async function worldFor(
  role: Actor,
  situation: Situation,
  { isChanged }: { isChanged: boolean },
): Promise<Built> {
  if (isChanged) return build(role, situation)
  const name = `${role}, ${situation}`
  const built = untouched.get(name) ?? (await build(role, situation))
  untouched.set(name, built)
  return built
}

const all = Object.keys(situations) as Situation[]
describe.each(Object.entries(endpoints))('%s', (endpoint, [ask, expected]) => {
  it.each(actors)('answers the %s as it should, whatever has become of the file', async (role) => {
    const told: Record<string, string> = {}
    for (const situation of all) {
      const isChanged = !endpoint.startsWith('GET ') && expected(role, situation).startsWith('2')
      const { actor, world } = await worldFor(role, situation, { isChanged })
      told[situation] = await ask(actor, world)
    }
    expect(told).toEqual(Object.fromEntries(all.map((situation) => [situation, expected(role, situation)])))
  })
})
