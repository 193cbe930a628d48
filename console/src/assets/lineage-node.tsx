import { useQuery } from '@tanstack/react-query'
import { Icon } from '../controls/icon.tsx'
import { useSession } from '../session/session.tsx'
import { originOf } from './ancestors.ts'
import { ASSETS, type Asset, typeIcons } from './asset.ts'
import { Badges } from './badges.tsx'

/** One asset of a lineage: its name, its owner, and the version that it was branched from. */
export function LineageNode({ asset, isShown }: { asset: Asset; isShown: boolean }) {
  const { client } = useSession()
  const { data: origin } = useQuery({
    queryKey: [ASSETS, 'origin', asset.id],
    queryFn: async ({ signal }) => (await originOf(client, asset, signal)) ?? null,
    staleTime: Number.POSITIVE_INFINITY, // an origin never changes
  })
  return (
    <span className={isShown ? 'lineage-node shown' : 'lineage-node'}>
      <Icon name={typeIcons[asset.type]} />
      <span className="lineage-text">
        <span className="asset-name">{asset.name}</span>
        <span className="quiet small">
          by {asset.owner_id}
          {origin && `, from version ${origin.version}`}
        </span>
      </span>
      <Badges asset={asset} />
    </span>
  )
}
