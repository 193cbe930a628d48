import { ErrorNote, Waiting } from '../../controls/status.tsx'
import type { AssetWithPage, Version } from '../asset.ts'
import './releases.css'
import { ReleaseLine } from './release-line.tsx'
import { ReleaseTable } from './release-table.tsx'
import { useReleases } from './use-releases.ts'

interface Props {
  asset: AssetWithPage
  /** The newest first. */
  versions: readonly Version[]
  onOpen: (id: string) => void
}

/** The versions of an own asset, and who gets which. */
export function OwnVersions({ asset, versions, onOpen }: Props) {
  const releases = useReleases(asset)
  const { error, isPending, refetch } = releases.list
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (isPending) return <Waiting />
  return (
    <>
      <ReleaseLine {...{ asset, versions, releases }} />
      <ReleaseTable {...{ asset, versions, releases, onOpen }} />
    </>
  )
}
