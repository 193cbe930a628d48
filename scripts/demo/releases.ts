/** A creator tries a version of a world with a tester, has all players get it, and goes back. */
import { randomContent, receive, requireSame, sha256 } from './content.ts'
import type { Output } from './gifts.ts'
import { bytes } from './print.ts'
import { refused, type User } from './user.ts'

/** Who takes part. The creator has a public world. */
export interface Parties {
  creator: User
  tester: User
  player: User
}

/** Releases a version of a world, and goes back. @throws Error when a step shows anything else */
export async function releaseAndGoBack({ creator, tester, player }: Parties, { step, fact }: Output) {
  const { assets } = creator.client
  const [world] = (await player.client.catalogue.list({ owner_id: creator.id, limit: 1 }).page()).assets
  if (!world) throw new Error('The creator has no world in the catalogue.')
  const { id, current_version: before } = world
  const updateOf = async (version: number) => {
    const { updates } = await player.client.assets.update([{ asset_id: id, version }])
    return updates[0]?.version
  }

  step('As the creator: make a world live as it is, upload a version, and make a channel for testers')
  await assets.release({ id, version: before })
  const content = randomContent('beta.world', 22_000)
  const { version: beta } = await assets.upload({ content, asset_id: id, notes: 'A fourth island.' })
  const { key } = await assets.setChannel({ id, channel: 'beta', version: beta.version })
  if (key === null) throw new Error('The channel has no key.')
  fact('live', `version ${before}`)
  fact('beta', `version ${beta.version}, for whoever has its key`)

  step('As a tester with the key: get the version; then get it as a player without one')
  const { current_version: version } = await tester.client.assets.get({ id, channel_key: key })
  const tested = await receive(await tester.client.assets.download({ id, version, channel_key: key }))
  requireSame(tested, content.size, await sha256(content))
  fact('tester', `version ${version}, ${bytes(tested.size_bytes)}`)
  fact('player', await refused('VERSION_NOT_FOUND', player.client.assets.getVersion({ id, version })))
  requireVersion(await updateOf(before), undefined)

  step('As the creator: have everybody get it; then ask for updates as the player')
  await assets.release({ id, version })
  requireVersion(await updateOf(before), version)
  fact('player', `has version ${before}, and would get ${version}`)

  step('As the creator: go back; then ask again')
  await assets.release({ id, version: before })
  requireVersion(await updateOf(version), before)
  fact('player', `has version ${version}, and would get ${before}`)
}

function requireVersion(found: number | undefined, expected: number | undefined): void {
  if (found !== expected) throw new Error(`The update of the world is version ${found}, and not ${expected}.`)
}
