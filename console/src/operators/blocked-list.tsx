import { useMutation } from '@tanstack/react-query'
import type { BlockedContent, BlockedKind } from 'edge-game-storage-client/studio'
import type { ReactNode } from 'react'
import { GridListItem, Link } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { formatTime } from '../controls/format.ts'
import { showError } from '../controls/notice.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { RowList } from '../controls/row-list.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { kinds, unblockThing } from './block.ts'

interface Props {
  /** Only what this user owns. */
  owner_id?: string
  /** Shown when nothing is blocked. */
  children: ReactNode
}

/** What is blocked, the latest first, with the reason and a button that ends the block. */
export function BlockedList({ owner_id, children }: Props) {
  const { studio } = useSession()
  const list = usePages({
    queryKey: ['blocked', owner_id],
    read: (cursor, signal) =>
      studio.moderation
        .listBlocked({ limit: 50, ...(owner_id !== undefined && { owner_id }), ...cursor }, { signal })
        .page(),
    itemsOf: (page) => page.blocked,
  })
  return (
    <Pages list={list} empty={children}>
      {(things) => <List things={things} isOfOne={owner_id !== undefined} />}
    </Pages>
  )
}

function List({ things, isOfOne }: { things: readonly BlockedContent[]; isOfOne: boolean }) {
  const { studio, changed } = useSession()
  const { hrefOf } = usePlace()
  const unblock = useMutation({
    mutationFn: ({ kind, id }: { kind: BlockedKind; id: string }) => unblockThing(studio, kind, id),
    onSuccess: () => changed('blocks'),
    onError: showError,
  })
  return (
    <RowList
      className="blocked"
      aria-label="Blocked content"
      items={things}
      dependencies={[unblock.isPending]}
    >
      {(thing) => (
        <GridListItem id={thing.id} textValue={thing.name} className="blocked-item">
          <div className="spread">
            <div className="cut" dir="auto">
              {thing.name}
            </div>
            <div className="quiet small">
              {kinds[thing.kind]}
              {!isOfOne && (
                <>
                  {' of '}
                  <Link href={hrefOf(['users', thing.owner_id])}>{thing.owner_id}</Link>
                </>
              )}
              {` · ${formatTime(thing.blocked_at)}`}
              {thing.blocked_by !== null && ` · by ${thing.blocked_by}`}
              {thing.reason !== null && ` · ${thing.reason}`}
            </div>
          </div>
          <Button
            aria-label={`Unblock ${thing.name}`}
            onPress={() => unblock.mutate(thing)}
            isDisabled={unblock.isPending}
          >
            Unblock
          </Button>
        </GridListItem>
      )}
    </RowList>
  )
}
