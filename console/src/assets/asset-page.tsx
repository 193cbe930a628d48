import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Breadcrumb, Breadcrumbs, Link, Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { formatDay } from '../controls/format.ts'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { Favorite } from '../favorites/favorite.tsx'
import { UnblockButton } from '../operators/moderate.tsx'
import { Avatar } from '../profile/avatar.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { About } from './about.tsx'
import { ASSETS, type AssetType, type AssetWithPage, types, versionText } from './asset.ts'
import { Badges } from './badges.tsx'
import { Branches } from './branches.tsx'
import { Lineage } from './lineage.tsx'
import { OtherActions } from './other-actions.tsx'
import { OwnActions } from './own-actions.tsx'
import { Picture } from './picture.tsx'
import { PreviewDrop } from './preview-drop.tsx'
import { useNewVersion } from './use-new-version.ts'
import { VersionDrop } from './version-drop.tsx'
import { Versions } from './versions.tsx'

interface Props {
  id: string
  /** The type, for an asset from the list of public assets, which is read by type. */
  publicType?: AssetType | undefined
  /** The tab that is shown; undefined: the versions. */
  tab: string | undefined
  /** The name of the list that the page goes back to. */
  from: string
  /** Opens another asset instead of this one. */
  onOpen: (id: string) => void
  /** Called with a tag that was pressed. Without it, tags can't be pressed. */
  onTag?: (tag: string) => void
  onClose: () => void
}

/** The tab that an address without one shows. */
const VERSIONS = 'versions'

/** The page of an own or a public asset: what it says of itself, its actions, versions, branches and lineage. */
export function AssetPage({ id, publicType, tab, from, onOpen, onTag, onClose }: Props) {
  const { client, user_id } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [ASSETS, 'one', id, publicType],
    queryFn: async ({ signal }) => {
      const found = publicType && (await client.catalogue.get({ type: publicType, id }, { signal }))
      // The catalogue has an own asset as others see it.
      return found && found.owner_id !== user_id ? found : client.assets.get({ id }, { signal })
    },
  })
  useTitle(data?.name)
  return (
    <div className="stack asset-screen">
      <Breadcrumbs className="asset-crumbs">
        <Breadcrumb>
          <Link className="asset-link" onPress={onClose}>
            {from}
          </Link>
        </Breadcrumb>
        <Breadcrumb>
          <Link className="asset-link cut" dir="auto">
            {data?.name ?? '…'}
          </Link>
        </Breadcrumb>
      </Breadcrumbs>
      {isPending ? (
        <Waiting />
      ) : isRefusal(error, 'ASSET_NOT_FOUND') ? (
        <Gone id={id} />
      ) : error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : (
        <Page key={id} asset={data} tab={tab} onOpen={onOpen} onTag={onTag} onClose={onClose} />
      )}
    </div>
  )
}

interface PageProps {
  asset: AssetWithPage
  tab: string | undefined
  onOpen: (id: string) => void
  onTag: ((tag: string) => void) | undefined
  onClose: () => void
}

function Page({ asset, tab, onOpen, onTag, onClose }: PageProps) {
  const { user_id } = useSession()
  const { query, go, hrefOf } = usePlace()
  const next = useNewVersion(asset)
  const isOwn = asset.owner_id === user_id
  const shown = tab ?? VERSIONS
  const pathOf = (name: string) => (name === VERSIONS ? [asset.id] : [asset.id, name])
  const page = (
    <>
      <AssetHead asset={asset} isOwn={isOwn} onTag={onTag}>
        {isOwn ? (
          <OwnActions asset={asset} onBranched={onOpen} onDeleted={onClose} />
        ) : (
          <OtherActions asset={asset} onBranched={onOpen} />
        )}
      </AssetHead>
      {asset.blocked && (
        <p className="error-note">
          A moderator has blocked this asset. Until that is lifted, only you see it.{' '}
          <Link href={hrefOf([], {}, 'safety')}>Decisions about my things</Link>
        </p>
      )}
      <Tabs
        className="asset-tabs"
        selectedKey={shown}
        // As of the screens: for Home and End.
        onSelectionChange={(key) => key !== shown && go(pathOf(`${key}`), query)}
      >
        <TabList className="tab-list" aria-label={`About ${asset.name}`}>
          <Tab id={VERSIONS} href={hrefOf(pathOf(VERSIONS), query)} className="tab">
            Versions
          </Tab>
          <Tab id="branches" href={hrefOf(pathOf('branches'), query)} className="tab">
            Branches
          </Tab>
          <Tab id="lineage" href={hrefOf(pathOf('lineage'), query)} className="tab">
            Lineage
          </Tab>
        </TabList>
        <TabPanel id={VERSIONS} className="asset-tab">
          <Versions asset={asset} next={next} onOpen={onOpen} />
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
  return isOwn ? (
    <VersionDrop asset={asset} onContent={next.upload}>
      {page}
    </VersionDrop>
  ) : (
    <div className="stack">{page}</div>
  )
}

interface HeadProps extends Pick<PageProps, 'asset' | 'onTag'> {
  isOwn: boolean
  children: ReactNode
}

/** The picture, the name and the owner of an asset, with its actions, and what it says of itself. */
function AssetHead({ asset, isOwn, onTag, children }: HeadProps) {
  const { owner_id, published_at } = asset
  const { hrefOf } = usePlace()
  return (
    <header className="asset-head">
      {isOwn ? <PreviewDrop asset={asset} /> : <Picture asset={asset} place="page" />}
      <div className="asset-title">
        <div className="spread">
          <div className="row">
            <h1>{asset.name}</h1>
            <Badges asset={asset} />
          </div>
          <div className="row asset-by">
            <Avatar user_id={owner_id} />
            <span>
              by{' '}
              <Link className="asset-link" href={hrefOf([], { owner: owner_id }, 'discover')}>
                {owner_id}
              </Link>
            </span>
            <span className="quiet small">
              {types[asset.type]} · {versionText(asset)}
              {published_at !== null && ` · published ${formatDay(published_at)}`}
            </span>
          </div>
        </div>
        <div className="row asset-actions">
          <Favorite asset={asset} />
          {children}
        </div>
      </div>
      <About asset={asset} onTag={onTag} />
    </header>
  )
}

/** Shown for an asset that the user can't see. Gives no reason, because to others a private asset does not exist. */
function Gone({ id }: { id: string }) {
  return (
    <Empty icon="box" title="This asset can’t be seen">
      <p>
        It has been deleted or made private, or a moderator has blocked it. Branches that were made of it keep
        their content.
      </p>
      <UnblockButton id={id} />
    </Empty>
  )
}
