import { useQuery } from '@tanstack/react-query'
import type { WholeCase } from 'edge-game-storage-client/studio'
import type { ReactNode } from 'react'
import { Link } from 'react-aria-components'
import { About } from '../../assets/about.tsx'
import { types, versionText } from '../../assets/asset.ts'
import { Badges } from '../../assets/badges.tsx'
import { Picture } from '../../assets/picture.tsx'
import { formatBytes } from '../../controls/format.ts'
import { Icon } from '../../controls/icon.tsx'
import { Waiting } from '../../controls/status.tsx'
import { kindOf, kinds } from '../../files/item.ts'
import { PreviewContent } from '../../files/preview-content.tsx'
import { Avatar } from '../../profile/avatar.tsx'
import { targetIcons } from '../../reports/words.ts'
import { useSession } from '../../session/session.tsx'
import { usePlace } from '../../shell/place.tsx'
import { titleOf } from './cases.ts'
import { OpenContent } from './open-content.tsx'
import { useAssetOf } from './use-asset-of.ts'
import '../../assets/assets.css'

/** What a case is about, as players see it. */
export function Thing({ found }: { found: WholeCase }) {
  const { type } = found.target
  return type === 'asset' ? (
    <AssetThing found={found} />
  ) : type === 'file' ? (
    <FileThing found={found} />
  ) : (
    <PlayerThing user_id={found.target.id} />
  )
}

function AssetThing({ found }: { found: WholeCase }) {
  const { data, isPending, isError } = useAssetOf(found.target)
  if (isPending) return <Waiting rows={4} />
  return (
    <Card
      found={found}
      picture={data ? <Picture asset={data} place="page" /> : undefined}
      isHidden={isError}
      badges={data && !isError && <Badges asset={data} />}
      facts={data && `${types[data.type]} · ${versionText(data)}`}
    >
      {data && <About asset={data} onTag={undefined} />}
    </Card>
  )
}

function FileThing({ found }: { found: WholeCase }) {
  const { client } = useSession()
  const { id } = found.target
  const { data, isPending, isError } = useQuery({
    queryKey: ['files', 'of a case', id],
    queryFn: async ({ signal }) => (await client.files.get({ id }, { signal })).file,
  })
  if (isPending) return <Waiting rows={4} />
  const isContent = data && data.asset_type !== 'folder' && data.processing_state === 'ready'
  return (
    <Card
      found={found}
      picture={
        isContent &&
        !isError && (
          <PreviewContent
            item={data}
            version={data.updated_at}
            urlOf={async (signal) => (await client.files.getUrl({ id }, { signal })).url}
          />
        )
      }
      isHidden={isError}
      facts={data && `${kinds[kindOf(data)]} · ${formatBytes(data.size_bytes)}`}
    />
  )
}

interface CardProps {
  found: WholeCase
  picture: ReactNode
  /** Whether other players don't see it. */
  isHidden: boolean
  badges?: ReactNode
  facts: string | undefined
  children?: ReactNode
}

function Card({ found, picture, isHidden, badges, facts, children }: CardProps) {
  const { owner_id, target } = found
  const { hrefOf } = usePlace()
  return (
    <section className="case-thing" aria-label="As players see it">
      {picture || (
        <span className="case-no-picture">
          <Icon name={targetIcons[target.type]} size={40} />
        </span>
      )}
      <div className="row case-name">
        <h2>
          <bdi>{titleOf(found)}</bdi>
        </h2>
        {badges}
      </div>
      <p className="row case-by">
        {owner_id !== null && <Avatar user_id={owner_id} />}
        <span>
          by{' '}
          {owner_id === null ? (
            'somebody who has been erased'
          ) : (
            <Link className="asset-link" href={hrefOf(['users', owner_id])}>
              <bdi>{owner_id}</bdi>
            </Link>
          )}
          {facts && <span className="quiet small"> · {facts}</span>}
        </span>
      </p>
      {isHidden && (
        <p className="hint">
          {target.type === 'asset'
            ? 'Other players don’t see it: it is private, blocked or deleted.'
            : 'Other players don’t see it, except those with whom it is shared.'}
        </p>
      )}
      {children}
      {found.name !== null && <OpenContent id={found.id} isOfAsset={target.type === 'asset'} />}
    </section>
  )
}

function PlayerThing({ user_id }: { user_id: string }) {
  const { hrefOf } = usePlace()
  return (
    <section className="case-thing" aria-label="As players see it">
      <div className="row case-name">
        <Avatar user_id={user_id} />
        <h2>
          <bdi>{user_id}</bdi>
        </h2>
      </div>
      <p>The report is about the player, not about one of their things.</p>
      <p className="row case-links">
        <Link className="button plain" href={hrefOf(['users', user_id])}>
          <Icon name="user" />
          What they have
        </Link>
        <Link className="button plain" href={hrefOf([], { owner: user_id }, 'discover')}>
          <Icon name="globe" />
          Their public assets
        </Link>
      </p>
    </section>
  )
}
