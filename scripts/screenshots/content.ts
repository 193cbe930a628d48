/** Creates the content of the users in the screenshots, through the client, as a game would. */
import { type Client, createClient, SaveConflict } from '#client'
import { createStudio } from '#client/studio'
import { developmentToken } from '../development.ts'
import { landscape, tone } from './media.ts'

/** The made-up users. Grace is a friend of Ada's, whose console is shown. */
export interface Cast {
  ada: string
  grace: string
}

/** The scopes that Ada signs in with, so that every screen has something. */
export const allScopes = [
  'notifications:publish',
  'announcements:publish',
  'content:moderate',
  'quota:write',
  'saves:recall',
  'users:erase',
  'users:read',
  'events:manage',
  'job:read',
  'shards:move',
]

const notes = `# Level 1

- The gate opens when all three bells have rung.
- Rain begins at dusk; the roofs get slippery.
- The owl knows the way. Nobody asks the owl.
`

/** Fills the service with content of these users. */
export async function fill(origin: string, { ada, grace }: Cast): Promise<void> {
  const as = (user_id: string) => createClient({ baseUrl: origin, token: () => developmentToken(user_id) })
  const studioOf = (user_id: string, scope: string) =>
    createStudio({ baseUrl: origin, token: () => developmentToken(user_id, { scope }) })
  const [hers, friends] = [as(ada), as(grace)]
  await Promise.all([
    fillFiles(hers),
    fillFiles(friends),
    fillAssets(hers, friends),
    fillSaves(as(ada), as(ada)),
  ])
  await Promise.all([shareWith(hers, grace), shareWith(friends, ada)])
  const moderator = studioOf('moderator', 'content:moderate')
  const blocked = await friends.assets.create({ name: 'Copied castle', type: 'world', visibility: 'public' })
  await moderator.moderation.blockAsset({ id: blocked.id, reason: 'a copied logo' })
  const social = studioOf('social', 'notifications:publish')
  const from = ['Linus', 'Margaret', 'Grace']
  for (const [index, from_display_name] of from.entries())
    await social.notifications.publish({
      user_id: ada,
      type: index === 1 ? 'friend_accepted' : 'friend_request',
      data: { from_user_id: index, from_display_name },
    })
  await social.notifications.publish({
    user_id: ada,
    type: 'shop.gift',
    data: {
      gift_id: 'golden-sword',
      message: 'A thank you for the hundred castles that you have built with us. '.repeat(3),
      from: { studio: true },
      claimed: false,
    },
  })
}

/** Announces to all users of the service. */
export async function announce(origin: string): Promise<void> {
  const token = () => developmentToken('studio', { scope: 'announcements:publish' })
  await createStudio({ baseUrl: origin, token }).announcements.publish({
    type: 'studio.maintenance',
    data: { minutes: 30, text: 'We will be back soon.' },
    expires_at: Math.floor(Date.now() / 1_000) + 86_400,
  })
}

async function fillFiles(client: Client): Promise<void> {
  const folders = ['Characters', 'Levels', 'Music']
  const [characters, levels] = await Promise.all(folders.map((name) => client.files.createFolder({ name })))
  const put = async (
    name: string,
    type: string,
    content: string | Buffer,
    parent_id?: string | undefined,
  ) => {
    const blob = new Blob([typeof content === 'string' ? content : new Uint8Array(content)], { type })
    const file = await client.files.upload({
      content: blob,
      name,
      ...(parent_id !== undefined && { parent_id }),
    })
    return file
  }
  const [castle] = await Promise.all([
    put('castle.png', 'image/png', landscape(210)),
    put('harbour.png', 'image/png', landscape(30)),
    put('level-1.json', 'application/json', JSON.stringify({ bells: 3, weather: 'rain' }, null, 2)),
    put('Notes on level 1.md', 'text/markdown', notes),
    put('theme.wav', 'audio/wav', tone(220)),
    put('The owl.md', 'text/markdown', '# The owl\n', characters?.id),
    put('Gate.json', 'application/json', '{}', levels?.id),
  ])
  const gone = await Promise.all([
    put('Old menu.png', 'image/png', landscape(120)),
    put('Draft 3.md', 'text/markdown', '# Draft\n'),
    put('level-0.json', 'application/json', '{}'),
  ])
  await client.files.edit({ id: castle.id, is_public: true })
  for (const { id } of gone) await client.files.delete({ id })
}

async function fillAssets(hers: Client, friends: Client): Promise<void> {
  const version = (bytes: number) => new Blob([new Uint8Array(bytes).fill(7)])
  const { asset: castle } = await hers.assets.upload({
    content: version(61_000),
    asset_type: 'world',
    name: 'Castle in the rain',
    visibility: 'public',
    description: 'Three bells open the gate.\nRain begins at dusk, and the roofs get slippery.',
    tags: ['castle', 'rain', 'puzzle', 'co-op', 'night', 'bells'],
    metadata: { players: 4, seed: 7 },
  })
  await preview(hers, castle.id, 210)
  await hers.assets.upload({ content: version(74_500), asset_id: castle.id, notes: 'A second courtyard.' })
  await hers.assets.rollBack({ id: castle.id, from_version: 1 })
  await hers.assets.upload({
    content: version(12_300),
    asset_type: 'avatar',
    name: 'The owl',
    visibility: 'private',
  })
  await hers.assets.create({ name: 'Lantern', type: 'prop', visibility: 'private' })
  const well = await hers.assets.create({ name: 'Old well', type: 'prop', visibility: 'private' })
  await hers.assets.delete({ id: well.id })
  const { asset: branch } = await friends.assets.branch({ id: castle.id, name: 'Castle at night' })
  await friends.assets.edit({ id: branch.id, visibility: 'public' })
  const { asset: twig } = await friends.assets.branch({ id: branch.id, name: 'Castle at dawn' })
  await friends.assets.edit({ id: twig.id, visibility: 'public', tags: ['castle', 'dawn'] })
  await preview(friends, twig.id, 30)
  for (const id of [castle.id, twig.id]) await hers.favorites.add({ id })
  await friends.favorites.add({ id: castle.id })
  await hers.assets.branch({ id: castle.id, name: 'Castle without towers', from_version: 2 })
  await hers.assets.upload({ content: version(48_200), asset_id: castle.id, version: 2, platform: 'android' })
  await hers.assets.editVersion({ id: castle.id, version: 3, min_build: 120 })
  await hers.assets.setChannel({ id: castle.id, channel: 'live', version: 2 })
  await hers.assets.setChannel({ id: castle.id, channel: 'beta', version: 3 })
}

async function preview(client: Client, id: string, hue: number): Promise<void> {
  const picture = new Blob([new Uint8Array(landscape(hue))])
  await client.assets.setPreview({ id, content: picture, mime_type: 'image/png' })
}

/** Two devices write one slot: the second had not read what the first wrote last, and the service keeps both. */
async function fillSaves(phone: Client, desktop: Client): Promise<void> {
  const state = (level: number, coins: number) =>
    new TextEncoder().encode(JSON.stringify({ level, coins, lantern: level > 2 }, null, 2))
  const mimeType = 'application/json'
  const hours = (count: number) => ({ played_seconds: Math.round(count * 3_600), mime_type: mimeType })
  const [onPhone, onDesktop] = [{ device: 'Phone' }, { device: 'Desktop' }]
  await phone.saves.write({
    slot: 'prologue',
    bytes: state(1, 4),
    ...onPhone,
    ...hours(0.4),
    label: 'Before the rain',
  })
  await phone.saves.write({
    slot: 'tutorial',
    bytes: state(1, 0),
    ...onPhone,
    ...hours(0.2),
    label: 'The tutorial',
  })
  await phone.saves.delete({ slot: 'tutorial' })
  await phone.saves.write({
    slot: 'auto',
    bytes: state(2, 70),
    ...onPhone,
    ...hours(1.5),
    label: 'The harbour',
  })
  await phone.saves.write({
    slot: 'auto',
    bytes: state(3, 120),
    ...onPhone,
    ...hours(2),
    label: 'The old mill',
  })
  await desktop.saves.read({ slot: 'auto' })
  await desktop.saves.write({
    slot: 'auto',
    bytes: state(3, 180),
    ...onDesktop,
    ...hours(2.6),
    label: 'Above the mill',
  })
  const late = { ...onPhone, ...hours(2.3), label: 'The old mill, by night', keep: true }
  await phone.saves.write({ slot: 'auto', bytes: state(3, 140), ...late }).catch((error: unknown) => {
    if (!(error instanceof SaveConflict)) throw error
  })
  const world = new Uint8Array(48_000).fill(7)
  await desktop.saves.write({ slot: 'world', bytes: world, ...onDesktop, played_seconds: 9_400 })
}

async function shareWith(client: Client, grantee_id: string): Promise<void> {
  const { files } = await client.files.list({ asset_type: 'file', sort: 'name' }).page()
  for (const [index, { id }] of files.slice(0, 3).entries())
    await client.shares.create({
      id,
      grantee_id,
      permission: index === 1 ? 'edit' : 'view',
      expires_at: index === 2 ? null : Math.floor(Date.now() / 1_000) + 86_400 * (index + 1),
    })
}
