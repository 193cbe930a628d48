import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { ASSETS, type Asset } from './asset.ts'
import { AssetList } from './asset-list.tsx'

/** The branches of an asset that the user may see: their own, and public ones. */
export function Branches({ asset: { id, name }, onOpen }: { asset: Asset; onOpen: (id: string) => void }) {
  const { client } = useSession()
  const list = usePages({
    queryKey: [ASSETS, 'branches', id],
    read: (cursor, signal) => client.assets.listBranches({ id, limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.branches,
  })
  return (
    <Pages
      list={list}
      empty={
        <Empty icon="branch" title="No branches that you can see">
          A branch is an asset that begins as a version of this one. Others’ branches appear when they are
          public.
        </Empty>
      }
    >
      {(assets) => (
        <AssetList
          label={`Branches of ${name}`}
          assets={assets}
          hasOwners
          onOpen={(branch) => onOpen(branch.id)}
        />
      )}
    </Pages>
  )
}
