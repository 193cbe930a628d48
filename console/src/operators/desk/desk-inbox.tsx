import '../../inbox/inbox.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { GridListItem } from 'react-aria-components'
import { Button, IconButton } from '../../controls/button.tsx'
import { formatCount } from '../../controls/format.ts'
import { showError } from '../../controls/notice.tsx'
import { PageTitle } from '../../controls/page-title.tsx'
import { RowList } from '../../controls/row-list.tsx'
import { Empty, ErrorNote, Waiting } from '../../controls/status.tsx'
import { NotificationContent } from '../../inbox/notification.tsx'
import { sentenceOf, whatHappened } from '../../inbox/what-happened.ts'
import { useSession } from '../../session/session.tsx'

const PAGE = 50

/** The notifications of a player, as they were when the list was read: nobody has a live inbox on behalf of a player. */
export function DeskInbox() {
  const { client } = useSession()
  const list = useInfiniteQuery({
    queryKey: ['inbox'],
    queryFn: ({ pageParam, signal }) =>
      client.inbox.list({ limit: PAGE, offset: pageParam }, { signal }).page(),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
  })
  const pages = list.data?.pages ?? []
  const notifications = pages.flatMap((page) => page.notifications)
  const unread = pages[0]?.unread ?? 0
  const change = async (act: () => Promise<unknown>) => {
    try {
      await act()
    } catch (error) {
      showError(error)
    }
    await list.refetch()
  }
  return (
    <div className="stack inbox">
      <PageTitle
        actions={
          <>
            <Button icon="restore" onPress={() => void list.refetch()} isPending={list.isRefetching}>
              Read again
            </Button>
            <Button isDisabled={unread === 0} onPress={() => void change(() => client.inbox.markRead({}))}>
              Mark all read
            </Button>
          </>
        }
      >
        Inbox
      </PageTitle>
      {list.isPending && <Waiting />}
      {list.isError && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && notifications.length === 0 && (
        <Empty icon="bell" title="No notifications">
          Announcements come when the player opens the inbox.
        </Empty>
      )}
      {notifications.length > 0 && (
        <>
          <p className="quiet">{formatCount(unread, 'unread notification')}.</p>
          <RowList className="notifications" aria-label="Notifications" items={notifications}>
            {(notification) => (
              <GridListItem
                id={notification.id}
                textValue={sentenceOf(whatHappened(notification))}
                className={`notification ${notification.state}`}
              >
                <NotificationContent notification={notification}>
                  <IconButton
                    icon="trash"
                    label="Delete"
                    onPress={() => void change(() => client.inbox.delete({ id: notification.id }))}
                  />
                </NotificationContent>
              </GridListItem>
            )}
          </RowList>
        </>
      )}
      {list.hasNextPage && (
        <Button onPress={() => void list.fetchNextPage()} isPending={list.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </div>
  )
}
