/** A friend branches a world; the branch stays when the world is deleted. */
import { randomContent, receive } from './content.ts'
import { printAsset, type World } from './multipart.ts'
import { bytes, printFact, printStep } from './print.ts'
import { printQuota } from './quota.ts'
import { printRefused, type User } from './user.ts'
import { printSame } from './walk.ts'

/** The friend finds and branches the world. The owner adds versions and deletes it. The branch keeps its content. */
export async function branchAndOutlive(user: User, friend: User, world: World): Promise<void> {
  const id = world.asset_id
  printStep('As the friend: find the world by a piece of its name, in other letters')
  const q = world.name.toUpperCase().replace('É', 'E').slice(1, -2)
  for await (const asset of friend.client.catalogue.list({ type: 'world', q })) printAsset(asset)

  printStep('As the friend: branch it, which copies nothing')
  const { asset, version } = await friend.client.assets.branch({ id, name: 'My own sky' })
  printAsset(asset)
  const from = `branched from version ${version.branched_from_version}`
  printFact('version', `${version.version}, ${bytes(version.size_bytes)}, ${from}`)
  await printQuota(friend)

  await changeAndRollBack(user, id)

  printStep('Delete the world permanently')
  await user.client.assets.delete({ id, permanent: true })
  await printQuota(user)
  await printRefused('ASSET_NOT_FOUND', friend.client.assets.get({ id }))

  printStep('As the friend: the branch is there. Download it')
  const received = await receive(await friend.client.assets.download({ id: asset.id, version: 1 }))
  printSame(received, world.content.size, world.sha256)

  printStep('As the friend: delete the branch permanently, too')
  await friend.client.assets.delete({ id: asset.id, permanent: true })
  printFact('note', 'nothing refers to the content any more: the scheduled job removes it')
}

/** Adds a second version, and a third with the content of the first. */
async function changeAndRollBack({ client }: User, asset_id: string): Promise<void> {
  const content = randomContent('world.bin', 1_000)
  printStep(`Add a version to the source, of ${bytes(content.size)}`)
  const { asset } = await client.assets.upload({ content, asset_id })
  printAsset(asset)

  printStep('Roll the source back to version 1, which loses nothing')
  await client.assets.rollBack({ id: asset_id, from_version: 1 })
  for await (const { version, size_bytes } of client.assets.listVersions({ id: asset_id }))
    printFact('version', `${version}, ${bytes(size_bytes)}`)
}
