/** Uploads a world in parts, of which one is lost. */
import { randomUUID } from 'node:crypto'
import { Asset, AssetAndVersion, Quota, StartedInParts, UploadInParts } from './answers.ts'
import { bytes, printFact, printStep, send, sendRejected, type User } from './client.ts'
import { type Content, randomContent, sha256 } from './content.ts'
import { listed, sendParts } from './parts.ts'

/** A public world, and its content. */
export interface World {
  asset_id: string
  name: string
  content: Content
  sha256: Buffer
}

const WORLD_BYTES = 300 * 1024 ** 2

/** Uploads a world in parts, loses one, continues as another device would, and publishes it. */
export async function uploadWorld(user: User, operator: User): Promise<World> {
  printStep('As the operator: give back the usual limit')
  const { body: quota } = await send(operator, 'PUT', `/v1/users/${user.id}/quota`, Quota, {
    json: { limit_bytes: null },
  })
  printFact('limit', bytes(quota.limit_bytes))

  const content = randomContent('world.bin', WORLD_BYTES)
  const { size_bytes, mime_type } = content
  const name = `Sky café ${user.id.slice(-8)}`
  printStep(`Start an upload of a world of ${bytes(size_bytes)}: it is to come in parts`)
  const { body: upload } = await send(user, 'POST', '/v1/uploads', StartedInParts, {
    json: { upload_type: 'game_asset', asset_type: 'world', name, size_bytes, mime_type },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  const parts = { upload_id: upload.id, ...upload.multipart }
  printFact('upload', upload.id)
  printFact('parts', `${parts.part_count} of ${bytes(parts.part_size)}, the last one shorter`)

  const numbers = Array.from({ length: parts.part_count }, (_, i) => i + 1)
  const first = numbers.filter((number) => number % 2 === 1).reverse()
  const [lost] = first.slice(Math.floor(first.length / 2))
  printStep('Send every other part, from the last on, and lose one on the way; record what has arrived')
  await sendParts(user, parts, first, content, lost)

  printStep('On another device: ask what has been recorded, and try to complete with that')
  const { body: open } = await send(user, 'GET', `/v1/uploads/${upload.id}`, UploadInParts)
  const { uploaded } = open.multipart
  printFact('recorded', `parts ${listed(uploaded)}; the upload is ${open.state}`)
  await sendRejected(user, 'POST', `/v1/uploads/${upload.id}/complete`, 'UPLOAD_INCOMPLETE')

  printStep('Send what is missing, and complete with what is recorded: the world is there')
  const there = new Set(uploaded.map(({ part_number }) => part_number))
  const missing = numbers.filter((number) => !there.has(number))
  await sendParts(user, parts, missing, content)
  const { body: completed } = await send(user, 'POST', `/v1/uploads/${upload.id}/complete`, AssetAndVersion)
  showAsset(completed.asset)
  printFact('version', `${completed.version.version}, ${bytes(completed.version.size_bytes)}`)

  printStep('Publish the world')
  const { body: published } = await send(user, 'PUT', `/v1/game/assets/${completed.asset.id}`, Asset, {
    json: { visibility: 'public' },
  })
  showAsset(published)
  return { asset_id: published.id, name, content, sha256: await sha256(content.read()) }
}

/** Prints an asset's members. */
export function showAsset({
  type,
  name,
  visibility,
  current_version,
  owner_id,
}: {
  type: string
  name: string
  visibility: string
  current_version: number
  owner_id: string
}): void {
  printFact(type, `"${name}" of ${owner_id}, ${visibility}, version ${current_version}`)
}
