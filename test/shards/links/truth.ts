import { env } from 'cloudflare:workers'
import { partitionIn } from '../../../src/platform/db/id.ts'
import { databasesOf } from '../../../src/platform/shards/map.ts'

/** A share that its grantee is to be shown. */
export interface SharedFact {
  id: string
  grantee_id: string
  owner_id: string
}

/** An asset that exists and is not deleted, and what it is a branch of. */
export interface AssetFact {
  id: string
  owner_id: string
  visibility: 'public' | 'private'
  source_id: string | null
}

interface Facts {
  shares: SharedFact[]
  assets: AssetFact[]
}

const SHARES = `SELECT shares.id, grantee_id, shares.owner_id FROM shares JOIN files ON files.id = file_id
  WHERE expired = 0 AND files.purging = 0
    AND shares.created_at > coalesce((SELECT until FROM erasures WHERE user_id = grantee_id), -1)
    AND files.created_at > coalesce((SELECT until FROM erasures WHERE user_id = shares.owner_id), -1)`

const ASSETS = `SELECT id, owner_id, visibility, branched_from_asset_id AS source_id FROM game_assets
  WHERE deleted_at IS NULL AND purging = 0
    AND created_at > coalesce((SELECT until FROM erasures WHERE user_id = owner_id), -1)`

interface Place {
  partition: string
  state: string
  moved_to: string | null
}

/**
 * What there is, by the rows themselves, while no request runs; partitions may be half moved. A row counts in the database
 * that has its partition, and, while that is handed over, in the one that had it.
 */
export async function facts(): Promise<Facts> {
  const answers = await Promise.all(
    Object.entries(databasesOf(env)).map(async ([name, database]) => {
      const [shares, assets, places] = await database.batch([
        database.prepare(SHARES),
        database.prepare(ASSETS),
        database.prepare(`SELECT partition, state, moved_to FROM partitions WHERE state <> 'open'`),
      ])
      return {
        name,
        shares: (shares?.results ?? []) as SharedFact[],
        assets: (assets?.results ?? []) as AssetFact[],
        places: new Map(((places?.results ?? []) as Place[]).map((place) => [place.partition, place])),
      }
    }),
  )
  const stateIn = (name: string | null | undefined, partition: string) =>
    answers.find((answer) => answer.name === name)?.places.get(partition)?.state
  return {
    shares: answers.flatMap(({ shares, places }) => shares.filter(({ id }) => isCounted(id, places))),
    assets: answers.flatMap(({ assets, places }) => assets.filter(({ id }) => isCounted(id, places))),
  }

  function isCounted(id: string, places: Map<string, Place>): boolean {
    const partition = partitionIn(id)
    const place = places.get(partition)
    if (place?.state === 'incoming') return false
    return place?.state !== 'gone' || stateIn(place.moved_to, partition) === 'incoming'
  }
}
