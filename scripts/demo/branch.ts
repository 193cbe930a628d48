/** A friend branches a world; the branch stays when the world is deleted. */
import { randomUUID } from 'node:crypto'
import {
  AssetAndVersion,
  AssetPage,
  AssetWithVersions,
  SignedUrl,
  StartedVersion,
  Version,
} from './answers.ts'
import { bytes, clock, nothing, printFact, printStep, send, sendRejected, type User } from './client.ts'
import { checksum, randomContent } from './content.ts'
import { showQuota } from './quota.ts'
import { expectSame, receiveContent, sendContent } from './transfer.ts'
import { showAsset, type World } from './world.ts'

/** The friend finds and branches the world. The owner adds versions and deletes it. The branch keeps its content. */
export async function branchAndOutlive(user: User, friend: User, world: World): Promise<void> {
  printStep('As the friend: find the world by a piece of its name, in other letters')
  const q = world.name.toUpperCase().replace('É', 'E').slice(1, -2)
  const { body: found } = await send(
    friend,
    'GET',
    `/v1/game/public?type=world&q=${encodeURIComponent(q)}`,
    AssetPage,
  )
  for (const asset of found.assets) showAsset(asset)

  printStep('As the friend: branch it, which copies nothing')
  const source = `/v1/game/assets/${world.asset_id}`
  const { body: branch } = await send(friend, 'POST', `${source}/branch`, AssetAndVersion, {
    json: { name: 'My own sky' },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  showAsset(branch.asset)
  const { version, size_bytes, branched_from_version } = branch.version
  printFact('version', `${version}, ${bytes(size_bytes)}, branched from version ${branched_from_version}`)
  await showQuota(friend)

  await changeAndRollBack(user, world.asset_id)

  printStep('Delete the world for good')
  await send(user, 'DELETE', `${source}?permanent=true`, nothing)
  await showQuota(user)
  await sendRejected(friend, 'GET', source, 'ASSET_NOT_FOUND')

  printStep('As the friend: the branch is there. Download it')
  const branched = `/v1/game/assets/${branch.asset.id}`
  const { body: download } = await send(friend, 'GET', `${branched}/versions/1/url`, SignedUrl)
  printFact('signed', `until ${clock(download.expires_at)}`)
  expectSame('The branch', await receiveContent(download.url), world.content.size_bytes, world.sha256)

  printStep('As the friend: delete the branch for good, too')
  await send(friend, 'DELETE', `${branched}?permanent=true`, nothing)
  printFact('note', 'nothing refers to the content any more: the scheduled job removes it')
}

/** Adds a second version, and a third with the content of the first. */
async function changeAndRollBack(user: User, asset_id: string): Promise<void> {
  const source = `/v1/game/assets/${asset_id}`
  const content = randomContent('world.bin', 1_000)
  const { size_bytes, mime_type } = content
  printStep(`Add a version to the source, of ${bytes(size_bytes)}`)
  const { body: upload } = await send(user, 'POST', '/v1/uploads', StartedVersion, {
    json: {
      upload_type: 'game_asset',
      asset_id,
      size_bytes,
      mime_type,
      checksum_sha256: await checksum(content),
    },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  await sendContent(upload, content)
  const { body: completed } = await send(user, 'POST', `/v1/uploads/${upload.id}/complete`, AssetAndVersion)
  showAsset(completed.asset)

  printStep('Roll the source back to version 1, which loses nothing')
  await send(user, 'POST', `${source}/versions`, Version, {
    json: { from_version: 1 },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  const { body: asset } = await send(user, 'GET', source, AssetWithVersions)
  for (const { version, size_bytes } of asset.versions)
    printFact('version', `${version}, ${bytes(size_bytes)}`)
}
