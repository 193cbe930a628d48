import { expect } from 'vitest'
import { announce, announcer } from '../../support/announcements.ts'
import { made } from '../../support/answer.ts'
import { serviceWithCheck } from '../../support/checking.ts'
import { bytes } from '../../support/content.ts'
import { Creator, signUpCreator } from '../../support/creator.ts'
import { publishTo } from '../../support/device.ts'
import { newUserId } from '../../support/ids.ts'
import { recall, recaller, recalls } from '../../support/recalls.ts'
import { records } from '../../support/records.ts'
import { operator, put, signUp, type User } from '../../support/user.ts'

const { ModeratorsDecision, Report, WholeCase } = records

/** What Ada has, and what has been done to it before somebody asks for it. */
interface Circumstances {
  ada: Creator
  /** Whom a file of hers is shared with: the one that it is about, if it is about one. */
  grantee: User
  isPublic: boolean
  isBlocked: boolean
  /** Whether a game asset of hers is for adults. */
  isMature: boolean
  /** Who has reported a game asset of hers, or the one that she has reported. */
  reporter: User | undefined
}

/** One of Ada's things, and how a number tells that it is there. */
interface Made {
  id: string
  counted?: RegExp
}

const MORE_THAN_ONE_PUT = 101 * 1024 ** 2
const A_NUMBER_OF_BYTES = 4_321

const makers = {
  file: sharedFile,
  folder: async (around) => {
    const folder = await around.ada.folder('secret')
    await around.ada.share(await around.ada.file('secret', 'x', { parent_id: folder.id }), around.grantee)
    await showFile(around, folder)
    return folder
  },
  picture: sharedPicture,
  profile: async (around) => {
    await around.ada.choose(await sharedPicture(around))
    return { id: around.ada.id, counted: /\/pictures\/files\// }
  },
  'trashed file': async (around) => {
    const file = await sharedFile(around)
    expect((await around.ada.delete(file)).status).toBe(204)
    return file
  },
  share: async (around) => {
    const file = await around.ada.content('secret', 'secret')
    const share = await around.ada.share(file, around.grantee)
    await showFile(around, file)
    return share
  },
  upload: async (around) => {
    const { id } = await sharedFile(around)
    const upload = await around.ada.upload({ name: undefined, file_id: id, size_bytes: 3 })
    expect((await put(upload, bytes('new'))).status).toBe(200)
    return upload
  },
  'checked upload': async (around) => {
    const { id } = await sharedFile(around)
    const upload = await around.ada.upload({ name: undefined, file_id: id, size_bytes: 3 })
    expect((await put(upload, bytes('new'))).status).toBe(200)
    const checked = new Creator(around.ada.id, around.ada.token, serviceWithCheck().service)
    expect((await checked.complete(upload)).status).toBe(202)
    return upload
  },
  'large upload': async (around) => {
    const { id } = await sharedFile(around)
    return around.ada.upload({ name: undefined, file_id: id, size_bytes: MORE_THAN_ONE_PUT })
  },
  'trashed asset': async (around) => {
    const asset = await shownAsset(around)
    expect((await around.ada.deleteAsset(asset)).status).toBe(204)
    return asset
  },
  asset: (around) => shownAsset(around),
  favorite: async (around) => {
    const asset = await shownAsset(around, 'favorite')
    expect((await around.ada.favor(asset)).status).toBe(204)
    return asset
  },
  mute: async ({ ada }) => {
    const id = newUserId()
    expect((await ada.request('PUT', `/mutes/${id}`)).status).toBe(204)
    return { id }
  },
  'older version': async (around) => {
    const asset = await shownAsset(around, 'versions')
    await around.ada.version(asset)
    return asset
  },
  variant: async (around) => {
    const asset = await shownAsset(around, 'variants')
    await around.ada.variant(asset, 1, 'android')
    return asset
  },
  'asset in a channel': async (around) => {
    const { id } = await shownAsset(around, 'tested')
    await around.ada.release(id, 1, 'beta')
    return { id, counted: /"size_bytes":/ }
  },
  report: async ({ ada, reporter }) => {
    const other = await (await signUpCreator('other')).asset('secret', { visibility: 'public' })
    if (reporter) await reportBy(reporter, other)
    return reportBy(ada, other)
  },
  decision: async (around) => decisionAbout(await caseAbout(around, 'decided'), 'warn'),
  none: async (around) => decisionAbout(await caseAbout(around, 'left alone'), 'none'),
  case: async (around) => caseAbout(around, 'looked at'),
  'appealed case': async (around) => {
    const found = await caseAbout(around, 'appealed')
    const decision = await decisionAbout(found, 'warn')
    const json = { text: 'Look again.' }
    const answer = await around.ada.request('POST', `/decisions/${decision.id}/appeal`, { json })
    expect(answer.status).toBe(201)
    return found
  },
  notification: async ({ ada }) => {
    const { id } = await publishTo(ada)
    return { id, counted: /"(?:count|unread|marked_count|deleted_count)":1\b/ }
  },
  announcement: async () => announce(await announcer()),
  recall: async () => {
    const operator = await recaller()
    for (const { id } of (await recalls(operator)).recalls) await operator.request('DELETE', `/recalls/${id}`)
    return recall(operator, { from: 1, until: 2 })
  },
  save: async ({ ada }) => savedBy(ada),
  'deleted save': async ({ ada }) => {
    const save = await savedBy(ada)
    expect((await ada.request('DELETE', `/saves/${save.id}`)).status).toBe(204)
    return save
  },
  user: async ({ ada }) => {
    await ada.upload({ size_bytes: A_NUMBER_OF_BYTES })
    return { id: ada.id, counted: new RegExp(`"used_bytes":${A_NUMBER_OF_BYTES}`) }
  },
} satisfies Record<string, (around: Circumstances) => Promise<Made>>

/** The kinds of things that a request can name. */
export type Thing = keyof typeof makers

/** The things that have a rating. */
export const rated: readonly Thing[] = [
  'asset',
  'trashed asset',
  'favorite',
  'older version',
  'variant',
  'asset in a channel',
]

/** The things that are the same whoever may see a file or an asset. */
export const unseen: readonly Thing[] = [
  'mute',
  'notification',
  'announcement',
  'recall',
  'save',
  'deleted save',
  'user',
]

export function isThing(text: string): text is Thing {
  return Object.hasOwn(makers, text)
}

/** A fresh world: Ada, who has one thing of that kind, and a user whom she has shared a file with. */
export async function worldWith(
  thing: Thing,
  given: { isPublic?: boolean; isBlocked?: boolean; isMature?: boolean; isReported?: boolean } = {},
) {
  const [ada, grantee] = [await signUpCreator('ada'), await signUpCreator('grantee')]
  const { isPublic = false, isBlocked = false, isMature = false, isReported = false } = given
  const reporter = isReported ? await signUp('reporter') : undefined
  const named: Made = await makers[thing]({ ada, grantee, isPublic, isBlocked, isMature, reporter })
  return { ada, grantee, named, reporter }
}

/** Ada, with one thing of each kind. */
export async function worldWithAll() {
  const [ada, grantee] = [await signUpCreator('ada'), await signUpCreator('grantee')]
  const named = new Map<string, Made>()
  for (const [thing, make] of Object.entries(makers))
    named.set(
      thing,
      await make({ ada, grantee, isPublic: false, isBlocked: false, isMature: false, reporter: undefined }),
    )
  return { ada, grantee, named }
}

/** A save in a slot whose name nobody else has. */
async function savedBy(ada: Creator): Promise<Made> {
  const id = `slot-${crypto.randomUUID()}`
  expect((await ada.request('PUT', `/saves/${id}`, { body: 'secret' })).status).toBe(201)
  return { id }
}

async function sharedFile(around: Circumstances): Promise<Made> {
  const file = await around.ada.content('secret', 'secret')
  await around.ada.share(file, around.grantee)
  await showFile(around, file)
  return file
}

async function sharedPicture(around: Circumstances): Promise<Made> {
  const picture = await around.ada.picture()
  await around.ada.share(picture, around.grantee)
  await showFile(around, picture)
  return picture
}

async function showFile({ ada, isPublic, isBlocked }: Circumstances, item: Made): Promise<void> {
  if (isPublic) expect((await ada.change(item, { is_public: true })).status).toBe(200)
  if (isBlocked) await block(`/files/${item.id}`)
}

/** An asset called as the one that `createAsset` of test/support/bodies.ts makes. */
async function shownAsset(
  { ada, isPublic, isBlocked, isMature, reporter }: Circumstances,
  name = 'new',
): Promise<Made> {
  const visibility = isPublic ? 'public' : 'private'
  const asset = await ada.asset(name, { visibility, ...(isMature && { rating: 'mature' }) })
  if (reporter) await reportBy(reporter, asset)
  if (isBlocked) await block(`/game/assets/${asset.id}`)
  return asset
}

/** A report about an asset. */
async function reportBy(user: User, { id }: Made): Promise<Made> {
  const json = { target: { type: 'asset', id }, category: 'spam' }
  return made(Report, await user.request('POST', '/reports', { json }), 201)
}

/** The case of an asset, without a report unless somebody reports it. */
async function caseAbout(around: Circumstances, name: string): Promise<Made> {
  const { id } = await shownAsset(around, name)
  const json = { target: { type: 'asset', id } }
  const moderator = await operator('content:moderate')
  const answer = await moderator.request('POST', '/moderation/cases', { json })
  return made(WholeCase, answer, around.reporter ? 200 : 201)
}

async function decisionAbout(found: Made, action: 'warn' | 'none'): Promise<Made> {
  const json = { action, ground: 'terms', statement: 'Look at the rules.' }
  const moderator = await operator('content:moderate')
  const answer = await moderator.request('POST', `/moderation/cases/${found.id}/decisions`, { json })
  return made(ModeratorsDecision, answer, 201)
}

async function block(path: string): Promise<void> {
  const moderator = await operator('content:moderate')
  expect((await moderator.request('PUT', `${path}/block`)).status).toBe(204)
}
