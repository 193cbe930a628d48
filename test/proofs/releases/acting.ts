import { z } from 'zod'
import { arrive } from '../../support/content.ts'
import type { Answer } from '../../support/exchange.ts'
import type { History, Notice } from './history.ts'
import { type Asset, servedVersion, type Version } from './solver.ts'

const Problem = z.object({ code: z.string() })

/** Whether the act was refused, as it has to be. `codes`: what each rule that it breaks says. */
export function isRefused(history: History, answer: Answer, codes: readonly (string | false)[]): boolean {
  const expected = codes.filter((code) => code !== false)
  const code = answer.status < 400 ? undefined : Problem.parse(answer.body).code
  history.say(`  ${answer.status} ${code ?? ''}`)
  history.met.note(`${history.act}, ${code ?? answer.status}`)
  if (expected.length === 0) history.equal(code, undefined, `${history.act}: ${answer.text}`)
  else if (!expected.includes(code ?? '')) history.equal(code, expected[0], `${history.act}: ${answer.text}`)
  return code !== undefined
}

/** An asset and who acts on it: its owner, most of the time. */
export function anAsset(
  { assets, dice, people }: History,
  isChosen: (asset: Asset) => boolean = () => true,
): { asset: Asset; user: string; isOwn: boolean } | undefined {
  const some = assets.filter((asset) => isChosen(asset) && (!asset.is_deleted || dice.chance(0.15)))
  if (some.length === 0) return undefined
  const asset = dice.pick(some)
  const user = dice.chance(0.94) ? asset.owner : dice.pick(people).id
  return { asset, user, isOwn: asset.owner === user && !asset.is_deleted }
}

/** The number of a version, mostly one that is there. */
export function aNumber({ dice }: History, { versions, current }: Asset): number {
  return versions.size > 0 && dice.chance(0.88) ? dice.pick([...versions.keys()]) : dice.below(current + 2)
}

/** What others must notice of a change of a version. */
export function noticeOf(asset: Asset, number: number): Notice {
  return number > servedVersion(asset) ? 'nothing' : 'a change'
}

export function someBuilds({ dice }: History): { min_build: number | null; max_build: number | null } {
  const [min, max] = [dice.pick([0, 10, 20, 30]), dice.pick([0, 10, 20, 30])]
  const [min_build, max_build] = [dice.chance(0.4) ? min : null, dice.chance(0.4) ? min + max : null]
  return { min_build, max_build }
}

/** Uploads content, the whole way. */
export async function sends(
  history: History,
  user: string,
  declared: object,
  size_bytes: number,
): Promise<Answer> {
  const content = { upload_type: 'game_asset', size_bytes, mime_type: 'application/octet-stream' }
  const started = await history.person(user).startUpload({ ...content, ...declared })
  if (started.status !== 201) return started
  const { id } = z.object({ id: z.string() }).parse(started.body)
  await arrive(id, size_bytes, content.mime_type)
  history.objects.set(size_bytes, id)
  return history.person(user).complete(id)
}

export function newAsset(id: string, owner: string, name: string, is_public: boolean): Asset {
  return {
    id,
    owner,
    name,
    is_public,
    is_in_catalogue: true,
    is_deleted: false,
    is_blocked: false,
    versions: new Map(),
    current: 0,
    channels: new Map(),
    old_keys: [],
  }
}

/** A version more. Content, platform, builds and variants are as given; each platform that it does not have is free. */
export function addVersion(
  asset: Asset,
  given: Omit<Version, 'version' | 'variants' | 'deleted'> & Partial<Version>,
): Version {
  const version: Version = {
    ...given,
    version: ++asset.current,
    variants: new Map(given.variants),
    deleted: new Set<string>(),
  }
  asset.versions.set(version.version, version)
  return version
}

/** The members that have a value. */
export function given(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  )
}
