import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Breadcrumb, Breadcrumbs, Link, Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { copyText } from '../controls/copy.ts'
import { Icon } from '../controls/icon.tsx'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import { ASSETS, type Asset, type AssetType, typeIcons, types, versionText } from './asset.ts'
import { Badges } from './asset-list.tsx'
import { Branches } from './branches.tsx'
import { Lineage } from './lineage.tsx'
import { OtherActions } from './other-actions.tsx'
import { OwnActions } from './own-actions.tsx'
import { VersionDrop } from './version-drop.tsx'
import { Versions } from './versions.tsx'

interface Props {
  id: string
  /** The type, for an asset from the list of public assets, which is read by type. */
  publicType?: AssetType | undefined
  /** The name of the list that the page goes back to. */
  from: string
  /** Opens another asset instead of this one. */
  onOpen: (id: string) => void
  onClose: () => void
}

/** The page of an own or a public asset: its actions, versions, branches and lineage. */
export function AssetPage({ id, publicType, from, onOpen, onClose }: Props) {
  const { client } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [ASSETS, 'one', id, publicType],
    queryFn: ({ signal }) =>
      publicType
        ? client.getPublicAsset({ type: publicType, id }, { signal })
        : client.getAsset({ id }, { signal }),
  })
  return (
    <div className="stack asset-screen">
      <Breadcrumbs className="asset-crumbs">
        <Breadcrumb>
          <Link className="asset-link" onPress={onClose}>
            {from}
          </Link>
        </Breadcrumb>
        <Breadcrumb>
          <Link className="asset-link cut">{data?.name ?? '…'}</Link>
        </Breadcrumb>
      </Breadcrumbs>
      {isPending ? (
        <Waiting />
      ) : isRefusal(error, 'ASSET_NOT_FOUND') ? (
        <Gone />
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : (
        <Page key={id} asset={data} onOpen={onOpen} onClose={onClose} />
      )}
    </div>
  )
}

function Page({
  asset,
  onOpen,
  onClose,
}: {
  asset: Asset
  onOpen: (id: string) => void
  onClose: () => void
}) {
  const { user_id } = useSession()
  const isOwn = asset.owner_id === user_id
  const page = (
    <>
      <AssetHead asset={asset}>
        {isOwn ? (
          <OwnActions asset={asset} onBranched={onOpen} onDeleted={onClose} />
        ) : (
          <OtherActions asset={asset} onBranched={onOpen} />
        )}
      </AssetHead>
      {asset.blocked && (
        <p className="error-note">
          A moderator has blocked this asset. Until that is lifted, only you see it.
        </p>
      )}
      <Tabs className="asset-tabs">
        <TabList className="asset-tab-list" aria-label={`About ${asset.name}`}>
          <Tab id="versions" className="tab">
            Versions
          </Tab>
          <Tab id="branches" className="tab">
            Branches
          </Tab>
          <Tab id="lineage" className="tab">
            Lineage
          </Tab>
        </TabList>
        <TabPanel id="versions" className="asset-tab">
          <Versions asset={asset} onOpen={onOpen} />
        </TabPanel>
        <TabPanel id="branches" className="asset-tab">
          <Branches asset={asset} onOpen={onOpen} />
        </TabPanel>
        <TabPanel id="lineage" className="asset-tab">
          <Lineage asset={asset} onOpen={onOpen} />
        </TabPanel>
      </Tabs>
    </>
  )
  return isOwn ? <VersionDrop asset={asset}>{page}</VersionDrop> : page
}

/** The name and the properties of an asset, with buttons. */
function AssetHead({ asset, children }: { asset: Asset; children: ReactNode }) {
  return (
    <header className="asset-head">
      <span className="asset-icon large">
        <Icon name={typeIcons[asset.type]} size={24} />
      </span>
      <div className="spread">
        <div className="row">
          <h2 className="cut">{asset.name}</h2>
          <Badges asset={asset} />
          <IconButton
            icon="copy"
            label="Copy the id"
            onPress={() => copyText(asset.id, `The id of ${asset.name} is copied.`)}
          />
        </div>
        <p className="quiet small">
          {types[asset.type]} of {asset.owner_id} · {versionText(asset)}
        </p>
      </div>
      <div className="row asset-actions">{children}</div>
    </header>
  )
}

/** Shown for an asset that the user can't see. Gives no reason, because to others a private asset does not exist. */
function Gone() {
  return (
    <Empty icon="box" title="This asset can’t be seen">
      It has been deleted or made private, or a moderator has blocked it. Branches that were made of it keep
      their content.
    </Empty>
  )
}
