import { Button } from '../../controls/button.tsx'
import type { Asset, Version } from '../asset.ts'
import { LIVE } from './release.ts'
import { type Releases, versionBefore } from './use-releases.ts'

interface Props {
  asset: Asset
  versions: readonly Version[]
  releases: Releases
}

/** Says which version everybody gets, with buttons to go on to the newest one, and to go back. */
export function ReleaseLine({ asset: { id, visibility, current_version }, versions, releases }: Props) {
  const { live, move } = releases
  const everybody = visibility === 'public' ? 'Everybody gets' : 'Once it is public, everybody gets'
  const newest = (
    <Button icon="globe" onPress={() => move(LIVE, current_version)}>
      Make version {current_version} live
    </Button>
  )
  if (live === undefined)
    return (
      <div className="row release-line">
        <p className="spread">
          {everybody} the newest version. Make a version live to choose.{' '}
          <span className="quiet">
            From then on, a version that you upload is yours alone until you make it live.
          </span>
        </p>
        {newest}
      </div>
    )
  const before = versionBefore(id, live, versions)
  return (
    <div className="row release-line">
      <p className="spread">
        {everybody} version {live}.{' '}
        {live < current_version && (
          <span className="quiet">Those above it are for you, and for testers with a key.</span>
        )}
      </p>
      {before !== undefined && (
        <Button icon="restore" onPress={() => move(LIVE, before)}>
          Go back to version {before}
        </Button>
      )}
      {live < current_version && newest}
    </div>
  )
}
