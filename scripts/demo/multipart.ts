/** Uploads a world in parts. The device is lost half-way, and another one finishes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Upload } from '#client'
import { type Content, randomContent, sha256 } from './content.ts'
import { bytes, printFact, printStep } from './print.ts'
import { withProgress } from './progress.ts'
import { type Fetch, printed, printRefused, type User } from './user.ts'

/** A public world, and its content. */
export interface World {
  asset_id: string
  name: string
  content: Content
  sha256: Buffer
}

/** Above MULTIPART_THRESHOLD, so that the content is sent in parts. */
export const WORLD_BYTES = 112 * 1024 ** 2

/** Uploads a world in parts, is cut off half-way, goes on as another device, and publishes it. */
export async function uploadWorld(user: User, operator: User): Promise<World> {
  const { client } = user
  printStep('As the operator: give back the usual limit')
  const { limit_bytes } = await operator.studio.quota.set({ user_id: user.id, limit_bytes: null })
  printFact('limit', bytes(limit_bytes))

  const content = randomContent('world.bin', WORLD_BYTES)
  const name = `Sky café ${user.id.slice(-8)}`
  printStep(`Upload a world of ${bytes(content.size)}, in parts; the device is switched off half-way`)
  const upload_id = await withProgress(content.size, (onProgress) =>
    cutOff(user, printed, content, name, onProgress),
  )
  printFact('upload', upload_id)
  printFact('note', 'each part is a PUT of its own, to a URL that takes this part only')

  printStep('On another device: look how far it is, and try to complete')
  const upload = await client.uploads.get({ id: upload_id })
  printFact('recorded', `${recorded(upload)}; the upload is ${upload.state}`)
  await printRefused('UPLOAD_INCOMPLETE', client.uploads.complete({ id: upload_id }))

  printStep('Send what is missing, with the id of the upload alone: the world is there')
  const completed = await withProgress(content.size, (onProgress) =>
    client.assets.upload({ content }, { uploadId: upload_id, onProgress }),
  )
  printAsset(completed.asset)
  printFact('version', `${completed.version.version}, ${bytes(completed.version.size_bytes)}`)

  printStep('Publish the world')
  const published = await client.assets.edit({ id: completed.asset.id, visibility: 'public' })
  printAsset(published)
  return { asset_id: published.id, name, content, sha256: await sha256(content) }
}

/** How long a part takes at least, in milliseconds: on this machine alone, all would be sent before some are recorded. */
const PART_MS = 300

/**
 * Starts to upload a world over the network of a player, and gives up half-way, like a device that is switched off.
 * Returns the id of the upload.
 */
export async function cutOff(
  { origin, token }: User,
  send: Fetch,
  content: Content,
  name: string,
  onProgress: (progress: { sent_bytes: number }) => void = () => {},
): Promise<string> {
  const slowly: Fetch = async (request) => {
    if (new URL(request.url).searchParams.has('partNumber')) await sleep(PART_MS)
    return send(request)
  }
  const client = createClient({ baseUrl: origin, token, fetch: slowly })
  const off = new AbortController()
  let upload_id: string | undefined
  try {
    await client.assets.upload(
      { content, asset_type: 'world', name },
      {
        parallel: 1,
        signal: off.signal,
        onStarted: ({ id }) => {
          upload_id = id
        },
        onProgress: (progress) => {
          onProgress(progress)
          if (progress.sent_bytes >= content.size / 2) off.abort()
        },
      },
    )
  } catch (error) {
    if (!off.signal.aborted || upload_id === undefined) throw error
    return upload_id
  }
  throw new Error('The upload was completed before it was cut off.')
}

/** How many parts of an upload have arrived. */
export function recorded(upload: Upload): string {
  if (!('multipart' in upload) || !upload.multipart) return 'no parts'
  const { uploaded = [], part_count } = upload.multipart
  return `${uploaded.length} of ${part_count} parts`
}

/** Prints an asset's members. */
export function printAsset({
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
