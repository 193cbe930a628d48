import { type ReactNode, useRef } from 'react'
import { Link, useDrop } from 'react-aria-components'
import { formatTime } from '../../controls/format.ts'
import type { Version } from '../asset.ts'
import { DownloadVersion } from '../download-version.tsx'
import { ChannelLabel } from './channel-label.tsx'
import { buildsText, CHANNEL, type Channel, contentsOf } from './release.ts'

interface Props {
  version: Version
  isLatest: boolean
  /** The channels of the version. */
  channels: readonly Channel[]
  /** The platforms of the table. */
  platforms: readonly (string | null)[]
  hasBuilds: boolean
  /** The channel whose label is being dragged. */
  dragged: string | undefined
  onDrag: (channel: string | undefined) => void
  /** Called with a channel whose label is dropped on the row. */
  onDrop: (channel: string) => void
  onOpen: (id: string) => void
  /** The button of its menu. */
  menu: ReactNode
}

/** A version in the table of releases. Takes labels of channels. */
export function ReleaseRow(props: Props) {
  const { version: row, isLatest, channels, platforms, hasBuilds, dragged, onDrag, onOpen, menu } = props
  const { asset_id, version, created_at, notes } = row
  const ref = useRef<HTMLTableRowElement>(null)
  const { dropProps, isDropTarget } = useDrop({
    ref,
    // Only while a label is dragged, so that a file that is dropped on the row goes to the page.
    isDisabled: dragged === undefined || channels.some(({ channel }) => channel === dragged),
    getDropOperation: (types) => (types.has(CHANNEL) ? 'move' : 'cancel'),
    onDrop: () => dragged !== undefined && props.onDrop(dragged),
  })
  return (
    <tr
      {...dropProps}
      ref={ref}
      tabIndex={-1}
      className="release-row"
      aria-label={`Version ${version}`}
      data-drop-target={isDropTarget || undefined}
    >
      <th scope="row">
        <span className="row release-version">
          <span className="asset-name">Version {version}</span>
          {isLatest && <span className="asset-badge">Latest</span>}
          {channels.map(({ channel }) => (
            <ChannelLabel key={channel} channel={channel} onDrag={onDrag} />
          ))}
        </span>
      </th>
      <td className="release-notes">
        {notes !== null && <span className="asset-notes">{notes}</span>}
        <Source version={row} onOpen={onOpen} />
      </td>
      {hasBuilds && (
        <td
          className="release-builds"
          data-head="Builds"
          data-none={row.min_build === null && row.max_build === null}
        >
          {buildsText(row)}
        </td>
      )}
      {platforms.map((platform) => {
        const content = contentsOf(row).find((one) => one.platform === platform)
        return (
          <td
            key={platform}
            className="release-size"
            data-head={headOf(platform, platforms)}
            data-none={!content}
          >
            {content ? <DownloadVersion id={asset_id} version={version} content={content} /> : '–'}
          </td>
        )
      })}
      <td className="quiet small release-time">{formatTime(created_at)}</td>
      <td className="release-menu">{menu}</td>
    </tr>
  )
}

function Source({ version, onOpen }: { version: Version; onOpen: (id: string) => void }) {
  const { branched_from_asset_id: source, branched_from_version } = version
  if (source === null) return null
  return (
    <span className="quiet small">
      Branched from{' '}
      <Link className="asset-link" onPress={() => onOpen(source)}>
        version {branched_from_version} of another asset
      </Link>
    </span>
  )
}

/** The head of the column of a platform; of content for every platform, null. */
export function headOf(platform: string | null, platforms: readonly (string | null)[]): string {
  return platform ?? (platforms.length > 1 ? 'All platforms' : 'Size')
}
