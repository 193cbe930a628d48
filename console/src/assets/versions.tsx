import { useState } from 'react'
import { GridListItem, Link } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { formatBytes, formatTime } from '../controls/format.ts'
import { Pages, usePages } from '../controls/pages.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { ASSETS, type Asset, type AssetWithPage, type Version } from './asset.ts'
import { AssetDetails } from './asset-details.tsx'
import { BranchDialog } from './branch-dialog.tsx'
import { DownloadVersion } from './download-version.tsx'
import { NextVersion } from './next-version.tsx'
import { OwnVersions } from './releases/own-versions.tsx'
import { WouldGet } from './releases/would-get.tsx'
import type { NewVersion } from './use-new-version.ts'

interface Props {
  asset: Asset
  onOpen: (id: string) => void
}

interface VersionsProps extends Props {
  asset: AssetWithPage
  next: NewVersion
}

/** The versions of an asset, newest first. Its owner decides who gets which, and others download and branch what they get. */
export function Versions({ asset, next, onOpen }: VersionsProps) {
  const { client, user_id } = useSession()
  const { id } = asset
  const isOwn = asset.owner_id === user_id
  const list = usePages({
    queryKey: [ASSETS, 'versions', id],
    read: (cursor, signal) => client.assets.listVersions({ id, limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.versions,
  })
  return (
    <>
      {isOwn && <NextVersion asset={asset} next={next} />}
      <Pages
        list={list}
        empty={
          <Empty icon="up" title="No content yet">
            {isOwn
              ? 'Upload the first version, or drop it here: any file up to the size that the service takes.'
              : 'Its owner has not uploaded a version yet.'}
          </Empty>
        }
      >
        {(versions) =>
          isOwn ? (
            <OwnVersions asset={asset} versions={versions} onOpen={onOpen} />
          ) : (
            <OthersVersions asset={asset} versions={versions} onOpen={onOpen} />
          )
        }
      </Pages>
      {isOwn && list.items.length > 0 && <WouldGet asset={asset} versions={list.items} />}
      <AssetDetails asset={asset} versions={list.items} />
    </>
  )
}

/** The versions of another user's asset. */
function OthersVersions({ asset, versions, onOpen }: Props & { versions: readonly Version[] }) {
  const [branched, setBranched] = useState<number>()
  return (
    <>
      <RowList
        className="asset-list"
        aria-label={`Versions of ${asset.name}`}
        items={versions}
        dependencies={[asset]}
      >
        {(version) => (
          <GridListItem
            id={version.id}
            textValue={`Version ${version.version}`}
            className="asset-row version-row"
          >
            <VersionText version={version} asset={asset} onOpen={onOpen} />
            <DownloadVersion id={asset.id} version={version.version} />
            <IconButton
              icon="branch"
              label={`Branch version ${version.version}`}
              onPress={() => setBranched(version.version)}
            />
          </GridListItem>
        )}
      </RowList>
      {branched !== undefined && (
        <BranchDialog
          asset={asset}
          from_version={branched}
          onBranched={onOpen}
          onClose={() => setBranched(undefined)}
        />
      )}
    </>
  )
}

function VersionText({ version: row, asset, onOpen }: Props & { version: Version }) {
  const {
    version,
    size_bytes,
    created_at,
    branched_from_asset_id: source,
    branched_from_version,
    notes,
  } = row
  return (
    <span className="spread">
      <span className="row">
        <span className="asset-name">Version {version}</span>
        {version === asset.current_version && <span className="asset-badge">Latest</span>}
      </span>
      <span className="quiet small asset-facts">
        {formatBytes(size_bytes)} · {formatTime(created_at)}
        {source !== null && (
          <>
            {' · branched from '}
            <Link className="asset-link" onPress={() => onOpen(source)}>
              version {branched_from_version} of another asset
            </Link>
          </>
        )}
      </span>
      {notes !== null && <span className="asset-notes">{notes}</span>}
    </span>
  )
}
