import { useState } from 'react'
import type { AssetWithPage, Version } from '../asset.ts'
import { platformsOf } from './release.ts'
import { ReleaseMenu } from './release-menu.tsx'
import { headOf, ReleaseRow } from './release-row.tsx'
import type { Releases } from './use-releases.ts'

interface Props {
  asset: AssetWithPage
  /** The newest first. */
  versions: readonly Version[]
  releases: Releases
  onOpen: (id: string) => void
}

/** The versions of an own asset, with a column for each platform, and the labels of channels on their versions. */
export function ReleaseTable({ asset, versions, releases, onOpen }: Props) {
  const [dragged, setDragged] = useState<string>()
  const platforms = platformsOf(versions)
  const hasBuilds = versions.some(({ min_build, max_build }) => min_build !== null || max_build !== null)
  return (
    <div className="release-box">
      <table className="release-table" aria-label={`Versions of ${asset.name}`}>
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">What is new</th>
            {hasBuilds && <th scope="col">Builds</th>}
            {platforms.map((platform) => (
              <th key={platform} scope="col" className="release-size">
                {headOf(platform, platforms)}
              </th>
            ))}
            <th scope="col" className="release-time">
              Uploaded
            </th>
            <th scope="col">
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((row) => {
            const channels = releases.channels.filter(({ version }) => version === row.version)
            return (
              <ReleaseRow
                key={row.id}
                version={row}
                isLatest={row.version === asset.current_version}
                {...{ channels, platforms, hasBuilds, dragged, onOpen }}
                onDrag={setDragged}
                onDrop={(channel) => releases.move(channel, row.version)}
                menu={
                  <ReleaseMenu
                    {...{ asset, releases, channels, onOpen }}
                    version={row}
                    platforms={platforms}
                  />
                }
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
