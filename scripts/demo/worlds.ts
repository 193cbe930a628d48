/** Worlds with a page and a picture each: a creator publishes them, and a player finds them in the catalogue. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, GameAssetSummary } from '#client'
import { pngOf } from '../drawing.ts'
import { randomContent } from './content.ts'
import type { Output } from './gifts.ts'
import { castle, islands, maze } from './pictures.ts'
import { bytes } from './print.ts'
import type { Fetch, User } from './user.ts'

const worlds = [
  {
    name: 'Castle at dusk',
    description: 'Reach the highest tower before the sun is down.',
    tags: ['castle', 'adventure', 'players-4'],
    metadata: { players: { min: 1, max: 4 } },
    drawing: castle,
  },
  {
    name: 'Hedge maze',
    description: 'There is a fountain in its middle. All ways lead out, some of them soon.',
    tags: ['maze', 'calm', 'players-1'],
    metadata: { players: { min: 1, max: 1 } },
    drawing: maze,
  },
  {
    name: 'Sky islands',
    description: 'Three islands, and the wind between them.',
    tags: ['islands', 'calm', 'players-4'],
    metadata: { players: { min: 2, max: 4 } },
    drawing: islands,
  },
] as const

/** What a player finds in the catalogue. */
export interface Shelves {
  calm: string[]
  updated: string[]
  favorites: string[]
}

/** Publishes each world with its page and its picture. Returns the pictures by the ids of the assets. */
async function publishAll({ client }: User, { step, fact }: Output): Promise<Map<string, Buffer>> {
  step('As a creator: upload three worlds with their pages, set their pictures, publish them')
  const pictures = new Map<string, Buffer>()
  for (const { drawing, tags, ...page } of worlds) {
    const { asset } = await client.assets.upload({
      content: randomContent(`${page.name}.world`, 20_000),
      asset_type: 'world',
      notes: 'The first version.',
      tags: [...tags],
      ...page,
    })
    const picture = pngOf(drawing)
    const preview = { id: asset.id, content: new Uint8Array(picture), mime_type: 'image/png' }
    const { etag } = await client.assets.setPreview(preview)
    await client.assets.edit({ id: asset.id, visibility: 'public' }, { ifMatch: etag })
    pictures.set(asset.id, picture)
    fact('world', `"${asset.name}", ${asset.tags.join(' ')}, a picture of ${bytes(picture.length)}`)
  }
  return pictures
}

/**
 * The creator publishes three worlds, and adds a version to the first. The player lists them in several ways, fetches their pictures and
 * adds two to the favorites. The worlds stay. `send` fetches the pictures, without a token.
 *
 * @throws Error when the catalogue shows anything else
 */
export async function publishWorlds(
  creator: User,
  player: User,
  send: Fetch,
  output: Output,
): Promise<Shelves> {
  const { step, fact } = output
  const pictures = await publishAll(creator, output)
  const list = async (title: string, query: NonNullable<Parameters<Client['catalogue']['list']>[0]>) => {
    step(title)
    const found: GameAssetSummary[] = []
    for await (const asset of player.client.catalogue.list({ owner_id: creator.id, ...query }))
      found.push(asset)
    for (const { name, tags, current_version } of found)
      fact('world', `${name.padEnd(16)} version ${current_version}  ${tags.join(' ')}`)
    return found
  }
  const published = await list('As a player: list the catalogue, last published first', { type: 'world' })

  step('Fetch the pictures, without a token')
  for (const { id, name, preview_url } of published)
    await requirePicture(name, preview_url, pictures.get(id), send)

  const calm = await list('List the calm worlds that are no maze', { tag: ['calm'], exclude_tag: ['maze'] })
  step('As the creator: add a version to the castle, with notes')
  const first = published.at(-1)
  if (!first) throw new Error('The catalogue lacks a world.')
  await sleep(1_000) // The times of assets are in seconds.
  const { version } = await creator.client.assets.upload({
    content: randomContent('castle.world', 21_000),
    asset_id: first.id,
    notes: 'A second gate.',
  })
  fact('version', `${version.version}, "${version.notes}"`)
  const updated = await list('As the player: list them, last updated first', { sort: 'updated' })

  step('Add two to the favorites, and list these')
  for (const { id } of published.slice(0, 2)) await player.client.favorites.add({ id })
  const favorites: string[] = []
  for await (const { name } of player.client.favorites.list()) favorites.push(name)
  for (const name of favorites) fact('favorite', name)
  fact('note', 'the number that each world shows, and the order "popular", follow within a minute')
  fact('note', 'the worlds stay: look at them in the console')

  const shelves = { calm: namesOf(calm), updated: namesOf(updated), favorites }
  requireNames('last published', namesOf(published), ['Sky islands', 'Hedge maze', 'Castle at dusk'])
  requireNames('calm', shelves.calm, ['Sky islands'])
  requireNames('last updated', shelves.updated, ['Castle at dusk', 'Sky islands', 'Hedge maze'])
  requireNames('favorite', favorites, ['Hedge maze', 'Sky islands'])
  return shelves
}

const namesOf = (assets: readonly GameAssetSummary[]) => assets.map(({ name }) => name)

/** Requires that a URL has this picture for everybody. */
async function requirePicture(
  name: string,
  url: string | null,
  sent: Buffer | undefined,
  send: Fetch,
): Promise<void> {
  if (url === null || !sent) throw new Error(`"${name}" has no picture.`)
  const answer = await send(new Request(url))
  const shown = Buffer.from(await answer.arrayBuffer())
  if (answer.headers.get('Content-Type') !== 'image/png' || !shown.equals(sent))
    throw new Error(`The picture of "${name}" is another one.`)
}

function requireNames(list: string, found: readonly string[], expected: readonly string[]): void {
  if (found.join() !== expected.join())
    throw new Error(`The ${list} worlds are ${found.join(', ')}, and not ${expected.join(', ')}.`)
}
