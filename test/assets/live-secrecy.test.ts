import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { requestTo } from '../http/authorisation/ask.ts'
import { relations } from '../http/authorisation/relations.ts'
import { type Answer, comparable, made, send } from '../support/answer.ts'
import { arrive } from '../support/content.ts'
import { Creator } from '../support/creator.ts'
import { databaseOf } from '../support/databases.ts'
import { type Endpoint, endpoints, publicEndpoints } from '../support/description.ts'
import { tokenFor } from '../support/identities.ts'
import { newUserId } from '../support/ids.ts'

/*
 * `live` is the version 1, and two versions above it were uploaded at a time of their own, with sizes, checksums, notes, builds and
 * variants that are nowhere else. Every route of players is asked by others than the owner, before and after that.
 */

/** When others see what they see, and when what they do not see is done. */
const SEEN = Date.UTC(2031, 0)
const HIDDEN = Date.UTC(2033, 4, 6, 7, 8, 9)
/** The numbers of the hidden versions. */
const FIRST_HIDDEN = 7_123
const NOTES = 'Nobody has heard of the dragon.'
const PLATFORM = 'secret_console'
const BUILD = 1_234_567
const SIZES = { first: 61_237, second: 71_238, variant: 81_239 }

const described = await endpoints()
/** The routes of players: a scope opens the others. */
const ofPlayers = described.filter(({ operation }) => operation['x-scopes'] === undefined)

/** Whether an operation answers with an asset, a version or content: what others get of it, `live` decides. */
function handsOutAssets({ operation }: Endpoint): boolean {
  const answers = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    status < '300' ? [JSON.stringify(content?.['application/json']?.schema ?? {})] : [],
  )
  return answers.some(
    (schema) =>
      schema.includes('"current_version"') || (schema.includes('"asset_id"') && schema.includes('"version"')),
  )
}

/** What the requests of others name. */
interface Named {
  id: string
  owner_id: string
  /** A number of each kind: served, hidden, of none. */
  versions: number[]
}

/** A request for which others may hold the contract: under /v1. */
interface Asked {
  method: string
  path: string
  json?: unknown
}

type Requests = (named: Named) => Asked[]

const platforms = ['', `platform=${PLATFORM}`, 'platform=pc']
const get = (...paths: string[]): Asked[] => paths.map((path) => ({ method: 'GET', path }))
const at = ({ id }: Named, end = '') => `/game/assets/${id}${end}`
/** Only its owner may ask for it: others are told that there is no such asset, or of their own ones. */
const ownersAlone: Requests = () => []

/** What is asked at each route that hands out assets, beside the request with the asset's id in each place. */
const requests: Record<string, Requests> = {
  getAsset: (named) => get(at(named), at(named, '?channel_key=x')),
  listVersions: (named) =>
    get(...['', '?limit=1', '?limit=100', '?channel_key=x'].map((query) => at(named, `/versions${query}`))),
  getVersion: (named) => get(...named.versions.map((version) => at(named, `/versions/${version}`))),
  getVersionUrl: (named) =>
    get(
      ...named.versions.flatMap((version) =>
        platforms.map((query) => at(named, `/versions/${version}/url?${query}`)),
      ),
    ),
  getAssetUrls: ({ id, versions }) => [
    {
      method: 'POST',
      path: '/game/urls',
      json: {
        items: [undefined, PLATFORM, 'pc'].flatMap((platform) => [
          ...[undefined, ...versions].map((version) => ({ asset_id: id, version, platform })),
          ...[0, BUILD, BUILD + 5].map((build) => ({ asset_id: id, build, platform })),
          { asset_id: id, channel_key: 'x', platform },
        ]),
      },
    },
  ],
  getUpdates: ({ id, versions }) =>
    [undefined, 0, BUILD].map((build) => ({
      method: 'POST',
      path: '/game/updates',
      json: {
        items: [undefined, PLATFORM, 'pc'].flatMap((platform) =>
          [1, ...versions].flatMap((version) =>
            [undefined, 'x'].map((channel_key) => ({
              asset_id: id,
              version: Math.max(version, 1),
              platform,
              channel_key,
            })),
          ),
        ),
        build,
      },
    })),
  browseAssets: ({ owner_id }) =>
    get(
      ...[
        '',
        ...['published', 'updated', 'popular'].map((sort) => `sort=${sort}`),
        'q=maze',
        'type=world',
      ].flatMap((query) => platforms.map((of) => `/game/public?owner_id=${owner_id}&${query}&${of}`)),
      ...platforms.map((of) => `/game/public?sort=updated&${of}`),
    ),
  getPublicAsset: ({ id }) => get(`/game/public/world/${id}`),
  listFavorites: () => get('/game/favorites', '/game/favorites?limit=1'),
  listBranches: (named) => get(at(named, '/branches')),
  listAssets: () => get('/game/assets', '/game/assets?deleted=true'),
  getQuotaBreakdown: () => get('/quota/breakdown'),
  ...Object.fromEntries(
    ['createAsset', 'editAsset', 'restoreAsset', 'setPreview', 'deletePreview', 'completeUpload'].map(
      (id) => [id, ownersAlone],
    ),
  ),
  ...Object.fromEntries(
    ['rollBackAsset', 'branchAsset', 'editVersion', 'setChannel', 'listChannels'].map((id) => [
      id,
      ownersAlone,
    ]),
  ),
}

/** What others do, whose answers name what they get: after it, an asset more is theirs. */
function branchesOf(named: Named): Asked[] {
  return [undefined, ...named.versions].map((from_version, index) => ({
    method: 'POST',
    path: at(named, '/branch'),
    json: { name: `branch ${index}`, from_version },
  }))
}

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(SEEN)
})
afterAll(() => {
  vi.useRealTimers()
})

/** A user whose token outlives both times. */
async function newCreator(): Promise<Creator> {
  const id = newUserId()
  return new Creator(id, await tokenFor(id, { exp: HIDDEN / 1000 + 86_400 }))
}

const Started = z.object({ id: z.string() })
const Completed = z.object({ asset: z.object({ id: z.string() }), version: z.object({ id: z.string() }) })
const Keyed = z.object({ key: z.string() })

/** Uploads content, the whole way. `texts`: what only its owner may know of it. */
async function upload(ada: Creator, declared: object, size_bytes: number) {
  const bytes = new Uint8Array(size_bytes).fill(size_bytes)
  const sha256 = await crypto.subtle.digest('SHA-256', bytes)
  const checksum_sha256 = btoa(String.fromCharCode(...new Uint8Array(sha256)))
  const content = {
    upload_type: 'game_asset',
    size_bytes,
    checksum_sha256,
    mime_type: 'application/octet-stream',
  }
  const { id } = made(Started, await ada.startUpload({ ...content, ...declared }), 201)
  await arrive(id, bytes, content.mime_type, { sha256 })
  const completed = made(Completed, await ada.complete(id), 200)
  return { asset: completed.asset, texts: [id, completed.version.id, checksum_sha256] }
}

/** Makes the asset, of which everybody gets the version 1. */
async function released(ada: Creator): Promise<Named> {
  const { asset } = await upload(
    ada,
    { name: 'maze', asset_type: 'world', visibility: 'public', notes: 'first' },
    9,
  )
  const answer = await ada.request('PUT', `/game/assets/${asset.id}/channels/live`, { json: { version: 1 } })
  expect(answer.status, answer.text).toBe(200)
  // As if many versions had been there, so that the numbers of the hidden ones are nowhere else.
  await databaseOf(asset.id)
    .prepare('UPDATE game_assets SET current_version = ?2, deleted_versions = ?2 - 1 WHERE id = ?1')
    .bind(asset.id, FIRST_HIDDEN - 1)
    .run()
  return { id: asset.id, owner_id: ada.id, versions: [1, FIRST_HIDDEN, FIRST_HIDDEN + 1, 0, 2] }
}

/** Whether a text has a secret: a word or a number, and not a part of an id. */
function hasSecret(text: string, secret: string): boolean {
  return new RegExp(`(?<![\\w-])${secret.replaceAll(/[+/=]/g, '\\$&')}(?![\\w-])`).test(text)
}

/** Does all that others do not see. Tells the texts that no answer to them may have. */
async function doHidden(ada: Creator, named: Named): Promise<string[]> {
  const { id } = named
  const builds = { min_build: BUILD, max_build: BUILD + 9 }
  const first = await upload(ada, { asset_id: id, notes: NOTES, ...builds }, SIZES.first)
  const second = await upload(ada, { asset_id: id, notes: NOTES, platform: 'pc', ...builds }, SIZES.second)
  const ofVersion = { asset_id: id, version: FIRST_HIDDEN + 1, platform: PLATFORM }
  const variant = await upload(ada, ofVersion, SIZES.variant)
  const edit = {
    method: 'PATCH',
    path: at(named, `/versions/${FIRST_HIDDEN}`),
    json: { min_build: BUILD + 1 },
  }
  const beta = { method: 'PUT', path: at(named, '/channels/beta'), json: { version: FIRST_HIDDEN } }
  for (const act of [edit, beta]) expect((await asks(ada, act)).status).toBe(200)
  const { key } = made(Keyed, await asks(ada, { ...beta, json: { version: FIRST_HIDDEN + 1 } }), 200)
  return [
    ...[...first.texts, ...second.texts, ...variant.texts, key, NOTES, PLATFORM],
    ...[...Object.values(SIZES), BUILD, BUILD + 1, BUILD + 9, FIRST_HIDDEN, FIRST_HIDDEN + 1].map(String),
    `${String(HIDDEN / 1000).slice(0, 6)}\\d+`,
  ]
}

function asks(user: Creator, { method, path, json }: Asked): Promise<Answer> {
  return user.request(method, path, { json })
}

/** Every request of a player in which the asset is named: at each place of each route. */
function everyRequest(named: Named): Asked[] {
  return ofPlayers.flatMap((endpoint) => {
    const { method, path, operation } = endpoint
    if (operation.operationId === 'openSocket') return []
    const rows = relations.filter((row) => row.method === method && row.path === path)
    const places = [...new Set(['', ...rows.map(({ place }) => place)])]
    const generated = places.map((place) => requestTo(endpoint, place, named.id))
    return [...generated, ...(requests[operation.operationId]?.(named) ?? [])]
  })
}

/** A request that changes nothing, so that its answers can be compared. */
const isReading = ({ method, path }: Asked) =>
  method === 'GET' || path === '/game/urls' || path === '/game/updates'

const nameOf = ({ method, path, json }: Asked) => `${method} ${path} ${JSON.stringify(json) ?? ''}`

it('every route of players that hands out an asset is asked by the test below', () => {
  const handsOut = ofPlayers.filter(handsOutAssets).map(({ operation }) => operation.operationId)
  expect(handsOut.filter((id) => requests[id] === undefined)).toEqual([])
  const known = ofPlayers.map(({ operation }) => operation.operationId)
  expect(Object.keys(requests).filter((id) => !known.includes(id))).toEqual([])
})

it('no answer to anybody but its owner tells of what is above the live version', async () => {
  const [ada, bob] = [await newCreator(), await newCreator()]
  const named = await released(ada)
  expect((await bob.favor(named)).status).toBe(204)
  expect((await bob.branched(named, 'of the first')).version.size_bytes).toBe(9)
  const all = everyRequest(named)
  const reading = all.filter(isReading)
  const shown = async () => {
    const answers: [string, unknown][] = []
    for (const asked of reading) answers.push([nameOf(asked), comparable(await asks(bob, asked))])
    for (const { path } of await publicEndpoints())
      answers.push([path, comparable(await send('GET', path.replaceAll(/\{\w+\}/g, named.id)))])
    return answers
  }
  const before = await shown()
  vi.setSystemTime(HIDDEN)
  const secrets = await doHidden(ada, named)
  vi.setSystemTime(SEEN)
  const after = await shown()
  for (const [index, [name, answer]] of after.entries()) expect(answer, name).toEqual(before[index]?.[1])

  // Then what changes something, in whose answers the hidden has no place, either; and what hands out assets once more.
  const told: string[] = []
  const writing = all.filter((asked) => !isReading(asked))
  const again = Object.values(requests).flatMap((requestsFor) => requestsFor(named))
  for (const asked of [...writing, ...branchesOf(named), ...again]) {
    const { text, headers } = await asks(bob, asked)
    const answer = `${text} ${JSON.stringify([...headers])}`
    // The request may have named a hidden version, and an item's answer names it again.
    const isRepeated = (secret: string) => hasSecret(nameOf(asked), secret)
    for (const secret of secrets)
      if (hasSecret(answer, secret) && !isRepeated(secret))
        told.push(`${nameOf(asked)}: ${secret} in ${answer}`)
  }
  expect(told).toEqual([])

  // The owner is told all of it, so that the secrets are what answers would have.
  const whole = [at(named), at(named, '/versions'), at(named, '/channels')]
  const owners = await Promise.all(whole.map(async (path) => (await ada.get(path)).text))
  const isTold = (secret: string) => owners.some((text) => hasSecret(text, secret))
  expect(secrets.filter((secret) => !isTold(secret)).length).toBeLessThanOrEqual(4) // ids of uploads and of a variant, a build that was edited
})
