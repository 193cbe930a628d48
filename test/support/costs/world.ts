import { type Creator, signUpCreator } from '../creator.ts'
import { homeOf } from '../databases.ts'
import { hintShares, seedAssets, seedFolders, seedSiblings, seedUploads } from '../seed.ts'
import { signUp } from '../user.ts'
import type { Measuring } from './measure.ts'

/** How many of everything there are at least where lists have more than a page. */
export const FEW = 1_000
export const MANY = 100_000

/** Players, one of whom has a dozen files in a nested folder, and `count` of everything beside them. */
export interface World {
  ada: Creator
  bob: Creator
  /** Whom ada shares `count` files with. */
  carol: Creator
  /** A folder in the root, and the one in it with the files. */
  game: { id: string }
  folder: { id: string }
  /** The files. */
  slots: string[]
  /** Who has a folder in the root, and one in it that has `count` folders. */
  dora: Creator
  high: { id: string }
  full: { id: string }
  count: number
}

/** How many public assets of another player there are at least. */
const PUBLISHED = 1_000

/**
 * Makes a world. Ada has `count` siblings of the files; as many in the root, of which half are in the trash; shares with carol;
 * public assets and deleted ones; and uploads.
 */
export async function worldOf({ service }: Pick<Measuring, 'service'>, count: number): Promise<World> {
  const ada = await signUpCreator('ada', service)
  const [bob, carol] = [await signUpCreator('bob', service), await signUpCreator('carol', service)]
  const dora = await signUpCreator('dora', service)
  const game = await ada.folder('game')
  const folder = await ada.folder('saves', { in: game })
  const slots: string[] = []
  for (let i = 0; i < 11; i++)
    slots.push((await ada.file(`slot-${i}.sav`, `content ${i}`, { parent_id: folder.id })).id)
  if (count === 0) {
    const others = await signUp('others')
    await seedAssets({ owner_id: others.id, prefix: 'listed', from: 1, to: PUBLISHED })
    return { ada, bob, carol, dora, game, folder, slots, high: game, full: folder, count }
  }
  const high = await dora.folder('high')
  const full = await dora.folder('full', { in: high })
  await seedSiblings(ada.id, folder.id, count)
  await seedSiblings(ada.id, null, count)
  const home = homeOf(ada.id)
  await home
    .prepare(
      `UPDATE files SET trashed_at = created_at * 1000, owner_id = owner_id
      WHERE owner_id = ? AND parent_id IS NULL AND created_at < 1700000000 + ? AND created_at % 2 = 0`,
    )
    .bind(ada.id, count)
    .run()
  await home
    .prepare(
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
      SELECT id, id, owner_id, ?1, 'view', NULL, created_at FROM files
      WHERE owner_id = ?2 AND parent_id = ?3 AND asset_type <> 'folder' AND created_at < 1700000000 + ?4`,
    )
    .bind(carol.id, ada.id, folder.id, count)
    .run()
  await hintShares(ada.id, carol.id)
  await seedFolders(dora.id, full.id, count)
  const assets = { owner_id: ada.id, from: 1, to: count }
  await seedAssets({ ...assets, prefix: `listed ${count}` })
  await seedAssets({ ...assets, prefix: `deleted ${count}`, is_deleted: true })
  await seedUploads(ada.id, count)
  return { ada, bob, carol, dora, game, folder, slots, high, full, count }
}
