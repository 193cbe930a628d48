import { z } from 'zod'
import type { Answer } from '../../support/exchange.ts'
import { BUILDS, type Effect, type History, PLATFORMS } from './history.ts'
import {
  type Asset,
  catalogueOf,
  isRefusal,
  publicRecordOf,
  type Refusal,
  recordOf,
  type SeenRecord,
  type Served,
  seenBy,
  updateOf,
  urlOf,
  type Version,
  type Viewer,
  versionNamed,
  versionsOf,
  type Wanted,
} from './solver.ts'

const Variant = z.object({ platform: z.string(), size_bytes: z.int() })
const VersionInAnswer = z.object({
  version: z.int(),
  size_bytes: z.int(),
  platform: z.string().nullable(),
  notes: z.string().nullable(),
  min_build: z.int().nullable(),
  max_build: z.int().nullable(),
  variants: z.array(Variant),
})
const Summary = z.object({ id: z.string(), name: z.string(), current_version: z.int(), updated_at: z.int() })
const RecordInAnswer = Summary.extend({ versions: z.array(VersionInAnswer) })
const Problem = z.object({ code: z.string() })
const Content = z.object({ version: z.int(), platform: z.string().nullable(), size_bytes: z.int() })
const Urls = z.object({ urls: z.array(z.union([Content.extend({ url: z.string() }), Problem])) })
const Updates = z.object({
  updates: z.array(z.union([Content, z.object({ version: z.null() }), Problem])),
})
const Versions = z.object({ versions: z.array(VersionInAnswer) })
const Page = z.object({ assets: z.array(Summary), next_cursor: z.null() })
const UrlInAnswer = Content.extend({ url: z.string() })

/** A version of an answer, as far as the solver knows of it. */
export function seenVersion(version: unknown) {
  const { variants, ...rest } = VersionInAnswer.parse(version)
  return { ...rest, variants: variants.map(({ platform, size_bytes }) => [platform, size_bytes]) }
}

/** The same of the solver's version. */
export function expectedVersion(version: Version | undefined) {
  if (!version) return undefined
  const { platform, notes, min_build, max_build, variants } = version
  return {
    version: version.version,
    size_bytes: version.content,
    platform,
    notes,
    min_build,
    max_build,
    variants: [...variants].sort(([one], [other]) => (one < other ? -1 : 1)),
  }
}

function seenRecord({ status, body }: Answer) {
  if (status >= 400) return { code: Problem.parse(body).code }
  const { name, current_version, versions } = RecordInAnswer.parse(body)
  return { name, current_version, versions: versions.map(seenVersion) }
}

function expectedRecord(record: SeenRecord | Refusal) {
  return isRefusal(record) ? record : { ...record, versions: record.versions.map(expectedVersion) }
}

function expectedContent(served: Served | Refusal | null, history: History) {
  if (served === null) return { version: null }
  if (isRefusal(served)) return served
  const { version, platform, content } = served
  return { version, platform, size_bytes: content, object: history.objects.get(content) }
}

/** The object to which a signed URL leads. */
function objectOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? ''
}

/** Compares what one viewer sees of one asset: its record, and one of three other answers. */
async function compareAsset(history: History, asset: Asset, viewer: Viewer): Promise<void> {
  const { world, met } = history
  const user = history.person(viewer.user)
  const who = `${history.nameOf(viewer.user)} with key ${viewer.key} reads ${asset.name}`
  const query = viewer.key === undefined ? '' : `channel_key=${viewer.key}`
  const path = `/game/assets/${asset.id}`
  const record = recordOf(world, asset.id, viewer)
  met.note(`record, ${isRefusal(record) ? record.code : kindOf(asset, viewer)}`)
  history.equal(seenRecord(await user.get(`${path}?${query}`)), expectedRecord(record), who)

  const seen = seenBy(world, asset.id, viewer)
  const number = history.dice.below(asset.current + 2)
  const platform = history.dice.maybe([undefined, ...PLATFORMS])
  const compared = history.dice.pick(['list', 'version', 'URL'])
  if (compared === 'list') {
    const listed = await user.get(`${path}/versions?${query}`)
    history.equal(
      listed.status < 400
        ? Versions.parse(listed.body).versions.map(seenVersion)
        : Problem.parse(listed.body),
      isRefusal(seen) ? seen : versionsOf(seen).map(expectedVersion),
      `${who}: the list of versions`,
    )
  } else if (compared === 'version') {
    const one = await user.get(`${path}/versions/${number}?${query}`)
    const version = isRefusal(seen) ? seen : versionNamed(seen, number)
    history.equal(
      one.status < 400 ? seenVersion(one.body) : Problem.parse(one.body),
      isRefusal(version) ? version : expectedVersion(version),
      `${who}: version ${number}`,
    )
  } else {
    const ofPlatform = platform === undefined ? '' : `&platform=${platform}`
    const url = await user.get(`${path}/versions/${number}/url?${query}${ofPlatform}`)
    const wanted = { asset_id: asset.id, version: number, platform, channel_key: viewer.key }
    history.equal(
      url.status < 400 ? withObject(UrlInAnswer.parse(url.body)) : Problem.parse(url.body),
      expectedContent(urlOf(world, viewer.user, wanted), history),
      `${who}: the URL of version ${number} for ${platform}`,
    )
  }
}

function withObject({ url, ...content }: z.output<typeof UrlInAnswer>) {
  return { ...content, object: objectOf(url) }
}

/** Whose answer it is. */
function kindOf(asset: Asset, { user, key }: Viewer): string {
  const who = asset.owner === user ? 'owner' : 'another'
  return `${who}${key === undefined ? '' : ' with a key'}${asset.channels.has('live') ? ', live' : ''}`
}

/** A request takes a hundred, but each URL that is signed takes time. */
const MOST = 20

/** Items for every asset, key, version, build and platform, or some of them. */
function someItems(history: History): Wanted[] {
  const items = history.assets.flatMap((asset) =>
    history.keysOf(asset).flatMap((channel_key) =>
      [undefined, ...PLATFORMS].flatMap((platform): Wanted[] => {
        const item = { asset_id: asset.id, channel_key, platform }
        const numbers = Array.from({ length: asset.current + 2 }, (_, number) => number)
        return [
          item,
          ...BUILDS.map((build) => ({ ...item, build })),
          ...numbers.map((version) => ({ ...item, version })),
        ]
      }),
    ),
  )
  if (items.length <= MOST) return items
  return Array.from({ length: MOST }, () => history.dice.pick(items))
}

/** Compares the URLs that a user gets. */
async function compareUrls(history: History, user: string): Promise<void> {
  const items = someItems(history)
  const answer = await history.person(user).request('POST', '/game/urls', { json: { items } })
  history.equal(answer.status, 200, `URLs: ${answer.text}`)
  const { urls } = Urls.parse(answer.body)
  for (const [index, item] of items.entries()) {
    const expected = urlOf(history.world, user, item)
    const found = urls[index]
    history.met.note(`URL, ${isRefusal(expected) ? expected.code : 'served'}`)
    history.equal(
      found && 'url' in found ? withObject(found) : found,
      expectedContent(expected, history),
      `${history.nameOf(user)} asks for the URL of ${JSON.stringify(item)}`,
    )
  }
}

/** Compares the updates that a user gets who has some version of each asset. */
async function compareUpdates(history: History, user: string): Promise<void> {
  const build = history.dice.maybe([undefined, ...BUILDS])
  const items = someItems(history).map(({ asset_id, platform, channel_key }) => {
    const current = history.world.get(asset_id)?.current ?? 0
    return { asset_id, platform, channel_key, version: 1 + history.dice.below(current + 1) }
  })
  const answer = await history.person(user).request('POST', '/game/updates', { json: { items, build } })
  history.equal(answer.status, 200, `updates: ${answer.text}`)
  const { updates } = Updates.parse(answer.body)
  for (const [index, { version: had, ...item }] of items.entries()) {
    const expected = updateOf(history.world, user, { ...item, build }, had)
    const kind = expected === null ? 'nothing new' : isRefusal(expected) ? expected.code : 'an update'
    history.met.note(`update, ${kind}`)
    const { object, ...content } = { object: undefined, ...expectedContent(expected, history) }
    history.equal(
      updates[index],
      content,
      `${history.nameOf(user)} asks for updates of ${JSON.stringify(item)} from ${had}, build ${build}`,
    )
  }
}

/** Compares the public endpoint and the catalogue, which are the same for everybody. */
async function comparePublic(history: History, user: string): Promise<void> {
  const { world, dice, met } = history
  const reader = history.person(user)
  for (const asset of history.assets) {
    const answer = await reader.get(`/game/public/world/${asset.id}`)
    const record = publicRecordOf(world, asset.id)
    met.note(`public, ${isRefusal(record) ? record.code : 'shown'}`)
    history.equal(seenRecord(answer), expectedRecord(record), `the public record of ${asset.name}`)
  }
  for (const owner of history.people.slice(0, 2)) {
    const platform = dice.maybe([undefined, ...PLATFORMS])
    const sort = dice.pick(['published', 'updated'])
    const query = `owner_id=${owner.id}&sort=${sort}${platform === undefined ? '' : `&platform=${platform}`}`
    const answer = await reader.get(`/game/public?limit=100&${query}`)
    history.equal(answer.status, 200, `the catalogue: ${answer.text}`)
    const { assets } = Page.parse(answer.body)
    const expected = catalogueOf(world, owner.id, platform)
    met.note(
      `catalogue${platform === undefined ? '' : ' of a platform'}, ${expected.size > 0 ? 'some' : 'none'}`,
    )
    if ([...expected].some(([id, version]) => version < (world.get(id)?.current ?? 0)))
      met.note('catalogue, an earlier version')
    history.equal(
      assets.map(({ id, current_version }) => `${id} ${current_version}`).sort(),
      [...expected].map(([id, version]) => `${id} ${version}`).sort(),
      `the catalogue of ${history.nameOf(owner.id)}, ${query}`,
    )
    if (sort === 'updated') {
      const times = assets.map(({ updated_at }) => updated_at)
      history.equal(
        times,
        times.toSorted((one, other) => other - one),
        'the order of the updated ones',
      )
    }
  }
}

/** Compares the answers of all viewers: of each kind, and of every other asset and key. */
export async function compareAll(history: History): Promise<void> {
  for (const { id } of history.people) {
    await compareUrls(history, id)
    await compareUpdates(history, id)
    for (const asset of history.assets)
      for (const key of history.keysOf(asset))
        if (history.dice.chance(0.5)) await compareAsset(history, asset, { user: id, key })
  }
  await comparePublic(history, history.dice.pick(history.people).id)
}

/** Compares one answer of one viewer. */
export async function compareOne(history: History): Promise<void> {
  const { dice, assets } = history
  const user = dice.pick(history.people).id
  const kind = dice.below(5)
  if (kind < 2) return compareUrls(history, user)
  if (kind === 2) return compareUpdates(history, user)
  if (kind === 3) return comparePublic(history, user)
  const asset = dice.pick(assets)
  return compareAsset(history, asset, { user, key: dice.maybe(history.keysOf(asset)) })
}

/** The record of an asset as one user has read it. */
interface Read {
  text: string
  etag: string
  updated_at: number
}

/** What records said before, by ETag: one ETag is one record. */
export class Records {
  readonly #history: History
  readonly #known = new Map<string, string>()
  readonly #last = new Map<string, Read>()

  constructor(history: History) {
    this.#history = history
  }

  /** Reads an asset that an act has changed, as others and as its owner. */
  async follow({ asset, notice, ofOwner }: Effect): Promise<void> {
    const history = this.#history
    const other = history.people.findLast(({ id }) => id !== asset.owner)?.id ?? ''
    await this.#read(asset, other, notice)
    await this.#read(asset, asset.owner, ofOwner ?? (notice === 'either' ? 'either' : 'a change'))
  }

  async #read(asset: Asset, user: string, notice: Effect['notice']): Promise<void> {
    const history = this.#history
    const of = `${asset.id} ${user}`
    const answer = await history.person(user).get(`/game/assets/${asset.id}`)
    const before = this.#last.get(of)
    this.#last.delete(of)
    if (answer.status !== 200) return
    const etag = answer.headers.get('ETag') ?? ''
    const { updated_at } = Summary.parse(answer.body)
    const what = `${asset.name} of ${history.nameOf(asset.owner)} as ${history.nameOf(user)} reads it`
    const known = this.#known.get(`${of} ${etag}`)
    if (known !== undefined) history.equal(answer.text, known, `${what}: one ETag is one record`)
    this.#known.set(`${of} ${etag}`, answer.text)
    this.#last.set(of, { text: answer.text, etag, updated_at })
    if (!before) return
    history.equal(updated_at >= before.updated_at, true, `${what}: updated_at goes back`)
    history.met.note(`followed, ${notice}`)
    if (notice === 'nothing')
      history.equal([etag, answer.text], [before.etag, before.text], `${what}: nothing changed`)
    if (notice === 'a change') history.equal(etag === before.etag, false, `${what}: its ETag is the same`)
  }
}
