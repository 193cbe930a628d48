import { z } from 'zod'
import {
  addVersion,
  aNumber,
  anAsset,
  given,
  isRefused,
  newAsset,
  noticeOf,
  sends,
  someBuilds,
} from './acting.ts'
import { expectedVersion, seenVersion } from './compare.ts'
import { CHANNELS, type Effect, type History, PLATFORMS } from './history.ts'
import { branchSource, isRefusal, type Viewer } from './solver.ts'

/** A kind of act. Undefined when there was nothing to do it to, or when it was refused. */
type Act = (history: History) => Promise<Effect | undefined>

const WithVersion = z.object({ version: z.unknown() })
const Branched = z.object({ asset: z.object({ id: z.string() }), version: z.unknown() })
const Channel = z.object({ channel: z.string(), version: z.int(), key: z.string().nullable() })

const uploadsAsset: Act = async (history) => {
  const { dice, world } = history
  const [user, name, content] = [
    dice.pick(history.people.slice(0, 2)).id,
    history.newName(),
    history.newContent(),
  ]
  const platform = dice.chance(0.3) ? dice.pick(PLATFORMS) : null
  const [is_public, builds, notes] = [
    dice.chance(0.85),
    someBuilds(history),
    dice.chance(0.3) ? 'first' : null,
  ]
  history.say(`${history.nameOf(user)} uploads ${name} ${content} for ${platform} ${JSON.stringify(builds)}`)
  const declared = {
    asset_type: 'world',
    name,
    visibility: is_public ? 'public' : 'private',
    ...given({ platform, notes, ...builds }),
  }
  const answer = await sends(history, user, declared, content)
  if (isRefused(history, answer, [])) return undefined
  const { asset, version } = Branched.parse(answer.body)
  const made = newAsset(asset.id, user, name, is_public)
  addVersion(made, { content, platform, notes, ...builds })
  world.set(made.id, made)
  history.equal(seenVersion(version), expectedVersion(made.versions.get(1)), 'the first version')
  return { asset: made, notice: 'either' }
}

const uploadsVersion: Act = async (history) => {
  const { dice } = history
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const content = history.newContent()
  const platform = dice.chance(0.3) ? dice.pick(PLATFORMS) : null
  const [builds, notes] = [someBuilds(history), dice.chance(0.3) ? `of ${content}` : null]
  history.say(
    `${history.nameOf(user)} uploads ${content} to ${asset.name} for ${platform} ${JSON.stringify(builds)}`,
  )
  const declared = { asset_id: asset.id, ...given({ platform, notes, ...builds }) }
  const answer = await sends(history, user, declared, content)
  if (isRefused(history, answer, [!isOwn && 'ASSET_NOT_FOUND'])) return undefined
  const made = addVersion(asset, { content, platform, notes, ...builds })
  const { version } = WithVersion.parse(answer.body)
  history.equal(seenVersion(version), expectedVersion(made), 'the new version')
  return { asset, notice: noticeOf(asset, made.version) }
}

const uploadsVariant: Act = async (history) => {
  const { dice } = history
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const [number, platform, content] = [aNumber(history, asset), dice.pick(PLATFORMS), history.newContent()]
  const version = asset.versions.get(number)
  history.say(
    `${history.nameOf(user)} uploads variant ${platform} ${content} of ${asset.name} version ${number}`,
  )
  const answer = await sends(history, user, { asset_id: asset.id, version: number, platform }, content)
  const isTaken =
    version?.platform === platform || version?.variants.has(platform) || version?.deleted.has(platform)
  const codes = isOwn
    ? [!version && 'VERSION_NOT_FOUND', isTaken === true && 'DUPLICATE_PLATFORM']
    : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes) || !version) return undefined
  version.variants.set(platform, content)
  history.equal(
    seenVersion(WithVersion.parse(answer.body).version),
    expectedVersion(version),
    'the version of the variant',
  )
  return { asset, notice: noticeOf(asset, number) }
}

const deletesVariant: Act = async (history) => {
  const found = anAsset(history, ({ versions }) =>
    [...versions.values()].some(({ variants }) => variants.size > 0),
  )
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const { dice } = history
  const there = [...asset.versions.values()].filter(({ variants }) => variants.size > 0)
  const number = dice.chance(0.7) ? dice.pick(there).version : aNumber(history, asset)
  const version = asset.versions.get(number)
  const platform = dice.pick([...(version?.variants.keys() ?? []), dice.pick(PLATFORMS)])
  history.say(`${history.nameOf(user)} deletes variant ${platform} of ${asset.name} version ${number}`)
  const path = `/game/assets/${asset.id}/versions/${number}/variants/${platform}`
  const answer = await history.person(user).request('DELETE', path)
  const codes = isOwn
    ? [!version ? 'VERSION_NOT_FOUND' : !version.variants.has(platform) && 'VARIANT_NOT_FOUND']
    : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes) || !version) return undefined
  version.variants.delete(platform)
  version.deleted.add(platform)
  return { asset, notice: noticeOf(asset, number) }
}

const rollsBack: Act = async (history) => {
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const from_version = aNumber(history, asset)
  const version = asset.versions.get(from_version)
  history.say(`${history.nameOf(user)} rolls ${asset.name} back to ${from_version}`)
  const answer = await history
    .person(user)
    .request('POST', `/game/assets/${asset.id}/versions`, { json: { from_version } })
  const codes = isOwn ? [!version && 'VERSION_NOT_FOUND'] : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes) || !version) return undefined
  const made = addVersion(asset, { ...version, notes: null })
  history.equal(seenVersion(answer.body), expectedVersion(made), 'the version of the rollback')
  return { asset, notice: noticeOf(asset, made.version) }
}

const branches: Act = async (history) => {
  const { dice, world } = history
  const found = anAsset(history)
  if (!found) return undefined
  const { asset } = found
  const user = dice.pick(history.people).id
  const viewer: Viewer = { user, key: dice.maybe(history.keysOf(asset)) }
  const from_version = dice.chance(0.6) ? dice.pick([aNumber(history, asset), asset.current + 1]) : undefined
  const name = history.newName()
  history.say(
    `${history.nameOf(user)} branches ${asset.name} from ${from_version} with ${viewer.key} as ${name}`,
  )
  const answer = await history.person(user).request('POST', `/game/assets/${asset.id}/branch`, {
    json: { name, ...given({ from_version, channel_key: viewer.key }) },
  })
  const source = branchSource(world, asset.id, viewer, from_version)
  if (isRefused(history, answer, [isRefusal(source) && source.code]) || isRefusal(source)) return undefined
  const branch = Branched.parse(answer.body)
  const made = newAsset(branch.asset.id, user, name, false)
  made.is_blocked = asset.is_blocked && asset.owner === user
  const first = addVersion(made, { ...source, notes: null })
  world.set(made.id, made)
  history.equal(seenVersion(branch.version), expectedVersion(first), 'the version of the branch')
  return { asset: made, notice: 'either' }
}

const setsChannel: Act = async (history) => {
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const [channel, version] = [history.dice.pick(CHANNELS), aNumber(history, asset)]
  history.say(`${history.nameOf(user)} sets ${channel} of ${asset.name} to ${version}`)
  const path = `/game/assets/${asset.id}/channels/${channel}`
  const answer = await history.person(user).request('PUT', path, { json: { version } })
  const codes = isOwn ? [!asset.versions.has(version) && 'VERSION_NOT_FOUND'] : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes)) return undefined
  const before = asset.channels.get(channel)
  const set = Channel.parse(answer.body)
  const isLive = channel === 'live'
  history.equal(set.key === null, isLive, 'whether a channel has no key')
  if (before) history.equal(set.key, before.key, 'the key of the channel, which stays')
  else history.equal(set.key !== null && asset.old_keys.includes(set.key), false, 'an old key')
  history.equal({ channel: set.channel, version: set.version }, { channel, version }, 'the channel')
  asset.channels.set(channel, { version, key: set.key })
  const isSame = before?.version === version
  return {
    asset,
    notice: !isLive ? 'nothing' : isSame ? 'either' : 'a change',
    ...(isSame && { ofOwner: 'either' as const }),
  }
}

const deletesChannel: Act = async (history) => {
  const found = anAsset(history, ({ channels }) => channels.size > 0)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const channel = history.dice.pick(CHANNELS)
  const before = asset.channels.get(channel)
  history.say(`${history.nameOf(user)} deletes ${channel} of ${asset.name}`)
  const answer = await history.person(user).request('DELETE', `/game/assets/${asset.id}/channels/${channel}`)
  const codes = isOwn ? [!before && 'CHANNEL_NOT_FOUND'] : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes) || !before) return undefined
  const isChange = channel === 'live' && before.version !== asset.current
  asset.channels.delete(channel)
  if (before.key !== null) asset.old_keys.push(before.key)
  return { asset, notice: isChange ? 'a change' : channel === 'live' ? 'either' : 'nothing' }
}

const editsVersion: Act = async (history) => {
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const [number, isOfNotes] = [aNumber(history, asset), history.dice.chance(0.3)]
  const version = asset.versions.get(number)
  const change = isOfNotes ? { notes: `note ${history.newContent()}` } : someBuilds(history)
  history.say(`${history.nameOf(user)} edits ${asset.name} version ${number} to ${JSON.stringify(change)}`)
  const path = `/game/assets/${asset.id}/versions/${number}`
  const answer = await history.person(user).request('PATCH', path, { json: change })
  const codes = isOwn ? [!version && 'VERSION_NOT_FOUND'] : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes) || !version) return undefined
  const isSame = Object.entries(change).every(([name, value]) => Reflect.get(version, name) === value)
  Object.assign(version, change)
  history.equal(seenVersion(answer.body), expectedVersion(version), 'the edited version')
  const notice = noticeOf(asset, number)
  return {
    asset,
    notice: isSame && notice === 'a change' ? 'either' : notice,
    ...(isSame && { ofOwner: 'either' as const }),
  }
}

const deletesVersion: Act = async (history) => {
  const found = anAsset(history, ({ versions }) => versions.size > 1)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const number = aNumber(history, asset)
  history.say(`${history.nameOf(user)} deletes ${asset.name} version ${number}`)
  const answer = await history.person(user).request('DELETE', `/game/assets/${asset.id}/versions/${number}`)
  const isNamed = [...asset.channels.values()].some(({ version }) => version === number)
  const isKept = number === asset.current || isNamed
  const codes = isOwn
    ? [!asset.versions.has(number) ? 'VERSION_NOT_FOUND' : isKept && 'VERSION_IS_CURRENT']
    : ['ASSET_NOT_FOUND']
  if (isRefused(history, answer, codes)) return undefined
  asset.versions.delete(number)
  return { asset, notice: noticeOf(asset, number) }
}

const deletesAsset: Act = async (history) => {
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  history.say(`${history.nameOf(user)} deletes ${asset.name}`)
  const answer = await history.person(user).request('DELETE', `/game/assets/${asset.id}`)
  if (isRefused(history, answer, [!isOwn && 'ASSET_NOT_FOUND'])) return undefined
  asset.is_deleted = true
  return { asset, notice: 'either' }
}

const restoresAsset: Act = async (history) => {
  const asset = history.assets.find(({ is_deleted }) => is_deleted)
  if (!asset) return undefined
  history.say(`${history.nameOf(asset.owner)} restores ${asset.name}`)
  const answer = await history
    .person(asset.owner)
    .request('POST', `/game/assets/${asset.id}/restore`, { json: {} })
  if (isRefused(history, answer, [])) return undefined
  asset.is_deleted = false
  return { asset, notice: 'either' }
}

const blocksAsset: Act = async (history) => {
  const found = anAsset(history, ({ is_deleted }) => !is_deleted)
  if (!found) return undefined
  const { asset } = found
  const blocked = !asset.is_blocked
  history.say(`a moderator ${blocked ? 'blocks' : 'unblocks'} ${asset.name}`)
  const answer = await history.operator.request(blocked ? 'PUT' : 'DELETE', `/game/assets/${asset.id}/block`)
  if (isRefused(history, answer, [])) return undefined
  asset.is_blocked = blocked
  return { asset, notice: 'either' }
}

const editsAsset: Act = async (history) => {
  const { dice } = history
  const found = anAsset(history)
  if (!found) return undefined
  const { asset, user, isOwn } = found
  const change = dice.pick([
    { visibility: 'public' },
    { visibility: 'private' },
    { listed: !asset.is_in_catalogue },
    { name: history.newName() },
  ])
  history.say(`${history.nameOf(user)} edits ${asset.name} to ${JSON.stringify(change)}`)
  const answer = await history.person(user).request('PUT', `/game/assets/${asset.id}`, { json: change })
  if (isRefused(history, answer, [!isOwn && 'ASSET_NOT_FOUND'])) return undefined
  if (change.visibility !== undefined) asset.is_public = change.visibility === 'public'
  if (change.listed !== undefined) asset.is_in_catalogue = change.listed
  if (change.name !== undefined) asset.name = change.name
  return { asset, notice: 'either' }
}

/** Each kind of act, with its weight. */
const acts = {
  uploadsAsset: [uploadsAsset, 2],
  uploadsVersion: [uploadsVersion, 6],
  uploadsVariant: [uploadsVariant, 5],
  deletesVariant: [deletesVariant, 3],
  rollsBack: [rollsBack, 2],
  branches: [branches, 4],
  setsChannel: [setsChannel, 8],
  deletesChannel: [deletesChannel, 3],
  editsVersion: [editsVersion, 3],
  deletesVersion: [deletesVersion, 3],
  deletesAsset: [deletesAsset, 2],
  restoresAsset: [restoresAsset, 3],
  blocksAsset: [blocksAsset, 1],
  editsAsset: [editsAsset, 2],
} satisfies Record<string, [Act, number]>

const mixture = Object.entries(acts).flatMap(([name, [act, weight]]) =>
  Array.from({ length: weight }, () => ({ name, act })),
)

/** Does something: the first act makes an asset. */
export async function act(history: History): Promise<Effect | undefined> {
  const { name, act } =
    history.world.size === 0 ? { name: 'uploadsAsset', act: uploadsAsset } : history.dice.pick(mixture)
  history.act = name
  return act(history)
}

/** What a run of full length has to meet. */
export const outcomes = Object.keys(acts).flatMap((name) => {
  const created = ['rollsBack', 'branches']
  const empty = ['deletesVariant', 'deletesChannel', 'deletesVersion', 'deletesAsset', 'blocksAsset']
  const status = created.includes(name) ? 201 : empty.includes(name) ? 204 : 200
  return [`${name}, ${status}`]
})
