import type { AssetUpdates } from 'edge-game-storage-client'
import { formatBytes } from '../../controls/format.ts'
import type { Version } from '../asset.ts'
import { buildsText, contentsOf, isFor } from './release.ts'

/** What the service answers about the update of one asset. */
export type Answer = AssetUpdates['updates'][number]

/** What was asked, and of which versions. */
export interface Asked {
  platform: string | undefined
  build: number | undefined
  /** The channel that was asked of; undefined: players, without `live`. */
  channel: string | undefined
  /** The version of the channel, or the newest one. */
  upTo: number
  /** The versions that are known, the newest first. */
  versions: readonly Version[]
}

/** What a player would get, in words, with the reason: the answer is the service's, the reason is read from the versions. */
export function inWords(answer: Answer, asked: Asked): string {
  const { platform, build, upTo } = asked
  if ('code' in answer) return `Nothing${forPlatform(platform)}: ${whyNone(answer.code, asked)}`
  // Nothing is all that there is.
  if (answer.version === null) return 'Nothing: the asset has no content yet.'
  const { version, size_bytes } = answer
  const reasons = [
    source(asked),
    ...(version < upTo ? [`below it, version ${version} is the highest for build ${build}`] : []),
    ...(platform !== undefined && answer.platform === null ? ['its content is for all platforms'] : []),
  ]
  return `Version ${version}${forPlatform(answer.platform ?? undefined)}, ${formatBytes(size_bytes)}: ${reasons.join('; ')}.`
}

/** The version that is the highest to get, and with a build, those that it is for. */
function source({ channel, upTo, build, versions }: Asked): string {
  const highest = versions.find(({ version }) => version === upTo)
  const builds = build !== undefined && highest ? buildsText(highest) : 'any'
  const what = channel === undefined ? `the newest version is ${upTo}` : `${channel} is ${upTo}`
  return builds === 'any' ? what : `${what}, its builds are ${builds}`
}

function whyNone(code: string, asked: Asked): string {
  const { channel, build, upTo, versions } = asked
  const limit = channel === undefined ? `the newest (${upTo})` : `${channel} (${upTo})`
  if (code === 'VERSION_NOT_FOUND')
    return build === undefined
      ? 'the asset has no content yet.'
      : `no version up to ${limit} is for build ${build}.`
  if (code === 'VARIANT_NOT_FOUND') {
    const got = versions.find(
      (version) => version.version <= upTo && (build === undefined || isFor(version, build)),
    )
    if (got)
      return `version ${got.version} has ${listed(contentsOf(got).map((one) => one.platform ?? 'all'))} only.`
  }
  return `the service answers ${code}.`
}

function forPlatform(platform: string | undefined): string {
  return platform === undefined ? '' : ` for ${platform}`
}

/** 'mac, web and windows'. */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last
}
