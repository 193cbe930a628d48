import type { AssetWithPage, Version } from './asset.ts'
import { DeveloperView } from './developer-view.tsx'
import { contentsOf } from './releases/release.ts'

interface Props {
  asset: AssetWithPage
  versions: readonly Version[]
}

/** What a game's code uses of an asset: its id, its metadata, and the checksums of its versions. */
export function AssetDetails({ asset: { id, metadata }, versions }: Props) {
  return (
    <DeveloperView>
      <dl className="asset-details small">
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
        {Object.keys(metadata).length > 0 && (
          <>
            <dt>Metadata</dt>
            <dd>
              <pre className="asset-description">{JSON.stringify(metadata, null, 2)}</pre>
            </dd>
          </>
        )}
        {versions.flatMap((row) =>
          contentsOf(row).map(
            ({ platform, checksum_sha256 }) =>
              checksum_sha256 !== null && (
                <div key={`${row.version} ${platform ?? ''}`}>
                  <dt>
                    SHA-256 of version {row.version}
                    {platform !== null && ` for ${platform}`}
                  </dt>
                  <dd>
                    <code>{checksum_sha256}</code>
                  </dd>
                </div>
              ),
          ),
        )}
      </dl>
    </DeveloperView>
  )
}
