/** The short demo: a line for each feature. */
import { styleText } from 'node:util'
import { WriteConflict } from '#client'
import { type Content, randomContent, receive, requireSame, sha256 } from './content.ts'
import { Device } from './device.ts'
import { announce, giveGifts, silent } from './gifts.ts'
import { moderate } from './moderation.ts'
import { cutOff, recorded, WORLD_BYTES } from './multipart.ts'
import { bytes } from './print.ts'
import { releaseAndGoBack } from './releases.ts'
import { type Fetch, refused, signIn, type User } from './user.ts'
import { publishWorlds } from './worlds.ts'

const SHARED_SECONDS = 600

/** Shows each feature on the server at `origin`, as made-up users whose ids begin with `name`. */
export async function showAll(origin: string, name: string, content: Content): Promise<void> {
  let requests = 0
  const counted: Fetch = (request) => {
    requests += 1
    return fetch(request)
  }
  const begun = performance.now()
  const as = (id: string, scope?: string) => signIn(origin, id, counted, scope)
  const [user, friend, operator, social, studio] = await Promise.all([
    as(name),
    as(`${name}-friend`),
    as(`${name}-operator`, 'quota:write'),
    as(`${name}-social`, 'notifications:publish'),
    as(`${name}-studio`, 'announcements:publish'),
  ])
  const { client } = user
  const digest = await sha256(content)
  const folder = await client.files.createFolder({ name: 'Maps' })
  let file_id = ''

  await line('Upload', async () => {
    const file = await client.files.upload({ content, parent_id: folder.id })
    file_id = file.id
    return `"${content.name}", ${bytes(content.size)}, straight to storage with a signed URL`
  })
  await line('Download', async () => {
    requireSame(await receive(await client.files.download({ id: file_id })), content.size, digest)
    await refused('FILE_NOT_FOUND', friend.client.files.get({ id: file_id }))
    return `the same ${bytes(content.size)}, compared by SHA-256; to another player: FILE_NOT_FOUND`
  })
  await line('Share', async () => {
    const expires_at = Math.floor(Date.now() / 1000) + SHARED_SECONDS
    const share = { id: file_id, grantee_id: friend.id, permission: 'view', expires_at } as const
    const { id } = await client.shares.create(share)
    requireSame(await receive(await friend.client.shares.download({ id })), content.size, digest)
    await client.shares.revoke({ id })
    await refused('SHARE_NOT_FOUND', friend.client.shares.getUrl({ id }))
    return 'a friend downloads it for ten minutes at most; revoked: SHARE_NOT_FOUND'
  })
  await line('Trash', async () => {
    await client.files.delete({ id: folder.id })
    await refused('FILE_NOT_FOUND', client.files.get({ id: file_id }))
    await client.trash.restore({ id: folder.id })
    await client.files.get({ id: file_id })
    return 'the folder is deleted and restored, and the file in it too'
  })
  await line('Quota', async () => {
    const { used_bytes } = await client.quota.get()
    await operator.studio.quota.set({ user_id: user.id, limit_bytes: used_bytes + 1_000 })
    await refused('QUOTA_EXCEEDED', client.files.upload({ content: randomContent('more.bin', 1_001) }))
    await operator.studio.quota.set({ user_id: user.id, limit_bytes: null })
    return 'with 1,000 bytes left, an upload of 1,001 is refused: QUOTA_EXCEEDED'
  })

  await line('Save', async () => {
    const [phone, desktop] = await Promise.all([as(name), as(name)])
    const level = (number: number) => new TextEncoder().encode(`level ${number}`)
    await phone.client.saves.write({ slot: 'auto', bytes: level(1), device: 'phone' })
    await desktop.client.saves.read({ slot: 'auto' })
    await desktop.client.saves.write({ slot: 'auto', bytes: level(3), device: 'desktop' })
    const conflict = await conflictOf(
      phone.client.saves.write({ slot: 'auto', bytes: level(2), device: 'phone' }),
    )
    if (conflict.current?.device !== 'desktop') throw new Error('The conflict names another save.')
    await conflict.resolve({ bytes: conflict.mine.bytes })
    await desktop.client.saves.restore({ slot: 'auto', revision: 2 }, { overwrite: true })
    const { bytes: restored } = await phone.client.saves.read({ slot: 'auto' })
    if (!Buffer.from(level(3)).equals(restored)) throw new Error('The history has lost a save.')
    return 'two devices, one slot: the second is shown the first and chooses; neither is lost'
  })

  const world = randomContent('world.bin', WORLD_BYTES)
  const title = `Sky café ${name.slice(-8)}`
  let asset_id = ''
  await line('World', async () => {
    const upload_id = await cutOff(user, counted, world, title)
    const arrived = recorded(await client.uploads.get({ id: upload_id }))
    const completed = await client.assets.upload({ content: world }, { uploadId: upload_id })
    asset_id = completed.asset.id
    return `${bytes(WORLD_BYTES)}, cut off after ${arrived}; another device sends the rest`
  })
  await line('Branch', async () => {
    await client.assets.edit({ id: asset_id, visibility: 'public' })
    const { assets } = await friend.client.catalogue.list({ type: 'world', q: title.toUpperCase() }).page()
    if (!assets.some(({ id }) => id === asset_id)) throw new Error('The search has not found the world.')
    const { asset } = await friend.client.assets.branch({ id: asset_id, name: 'My own sky' })
    await client.assets.delete({ id: asset_id, permanent: true })
    const branch = await receive(await friend.client.assets.download({ id: asset.id, version: 1 }))
    requireSame(branch, world.size, await sha256(world))
    await friend.client.assets.delete({ id: asset.id, permanent: true })
    return 'published, found by its name, branched without a copy; outlives its source'
  })
  const creator = await as(`${name}-creator`)
  await line('Catalogue', async () => {
    const { calm, updated, favorites } = await publishWorlds(creator, friend, counted, silent)
    const shown = `calm ones: ${calm.join(', ')}; updated: ${updated[0]}; ${favorites.length} favorites`
    return `three worlds with pictures; ${shown}`
  })
  await line('Release', async () => {
    await releaseAndGoBack({ creator, tester: user, player: friend }, silent)
    return 'a version for a tester with a key, then for everybody; back by one request'
  })
  await line('Moderate', async () => {
    const [moderator, other] = [
      await as(`${name}-moderator`, 'content:moderate'),
      await as(`${name}-other`, 'content:moderate'),
    ]
    await moderate({ creator, player: friend, moderator, other }, silent)
    return 'a report, a block with its reasons, an appeal; another moderator reversed it'
  })

  const [phone, desktop] = [
    new Device('phone', origin, user.token, counted),
    new Device('desktop', origin, user.token, counted),
  ]
  try {
    await line('Inbox', async () => {
      await catchUp(user, social, phone, desktop)
      return 'on two devices; one loses its network, comes back, and has missed nothing: badge 2'
    })
    await line('Gift', async () => {
      await giveGifts([user, friend], social, phone, silent)
      return 'to two players at once; a signal that nothing keeps; what was read is deleted'
    })
    await line('Announce', async () => {
      await announce(user, studio, phone, silent)
      return 'one row for all players: in the inbox when its user looks, and gone when it ends'
    })
  } finally {
    for (const { inbox } of [phone, desktop]) inbox.close()
  }

  await client.files.delete({ id: folder.id })
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(`\nAll of it held: ${requests} requests in ${seconds} s.`)
}

/** Publishes while the phone has no network. @throws Error when the phone then misses something */
async function catchUp(user: User, social: User, phone: Device, desktop: Device): Promise<void> {
  const devices = [phone, desktop]
  // An announcement may be in force.
  const [{ seq, unread }] = await Promise.all([phone.reach(0), desktop.reach(0)])
  const publish = (from_user_id: number, from_display_name: string) =>
    social.studio.notifications.publish({
      user_id: user.id,
      type: 'friend_request',
      data: { from_user_id, from_display_name },
    })
  const { id } = await publish(7, 'Grace')
  for (const device of devices) await device.reach(seq + 1)
  await phone.goOffline()
  await publish(8, 'Linus')
  await desktop.inbox.markRead({ notification_ids: [id] })
  await publish(9, 'Barbara')
  phone.comeBack()
  const shown = await Promise.all(devices.map((device) => device.reach(seq + 4)))
  if (
    shown.some((snapshot) => snapshot.unread !== unread + 2) ||
    phone.notified.join() !== 'Grace,Linus,Barbara'
  )
    throw new Error('The phone has missed something.')
}

/** The conflict that a write ends in. @throws Error when it succeeds or fails otherwise */
async function conflictOf(write: Promise<unknown>): Promise<WriteConflict> {
  try {
    await write
  } catch (error) {
    if (error instanceof WriteConflict) return error
    throw error
  }
  throw new Error('A save should have been in conflict, and was not.')
}

/** Prints a line with the result of `show`; on a terminal, shows the name alone until then. */
async function line(name: string, show: () => Promise<string>): Promise<void> {
  const label = `  ${styleText('bold', name.padEnd(10))}`
  if (process.stdout.isTTY) process.stdout.write(`${label}…`)
  const shown = await show()
  console.log(`${process.stdout.isTTY ? '\r' : ''}${label}${shown}`)
}
