import type { Announcement } from 'edge-game-storage-client/studio'
import { useState } from 'react'
import { GridListItem } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { formatTime } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { sentenceOf, whatHappened } from '../inbox/what-happened.ts'
import { useSession } from '../session/session.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { Announce } from './announce.tsx'

/** Announces to all users, lists what is in force, the latest first, and ends it. */
export function Announcements() {
  const { studio, changed } = useSession()
  const [asked, setAsked] = useState<Announcement>()
  const list = usePages({
    queryKey: ['announcements'],
    read: (cursor, signal) => studio.announcements.list({ limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.announcements,
  })
  return (
    <>
      <Announce />
      <Pages
        list={list}
        empty={
          <Empty icon="bell" title="Nothing is announced">
            An announcement appears in each inbox when its player next looks.
          </Empty>
        }
      >
        {(announcements) => <List announcements={announcements} onEnd={setAsked} />}
      </Pages>
      {asked && (
        <Confirm
          title={`End ${nameOf(asked)}?`}
          action="End"
          onConfirm={async () => {
            await studio.announcements.delete({ id: asked.id })
            showNotice(`${nameOf(asked)} has ended.`)
            await changed('announcements')
          }}
          onClose={() => setAsked(undefined)}
        >
          It goes from each inbox when its player next looks. This can’t be undone.
        </Confirm>
      )}
    </>
  )
}

interface ListProps {
  announcements: readonly Announcement[]
  onEnd: (announcement: Announcement) => void
}

/** What an announcement is called: its title, or what its type and its data say. */
function nameOf(announcement: Announcement): string {
  return sentenceOf({ ...whatHappened(announcement), text: undefined })
}

function List({ announcements, onEnd }: ListProps) {
  const isDeveloper = useDeveloperView()
  return (
    <RowList
      className="blocked"
      aria-label="Announcements in force"
      items={announcements}
      dependencies={[isDeveloper]}
    >
      {(announcement) => (
        <GridListItem id={announcement.id} textValue={nameOf(announcement)} className="blocked-item">
          <div className="spread">
            <div className="cut">{sentenceOf(whatHappened(announcement))}</div>
            {isDeveloper && (
              <div className="quiet small announced-data">
                <bdi>
                  <code>{announcement.type}</code> {JSON.stringify(announcement.data)}
                </bdi>
              </div>
            )}
            <div className="quiet small">
              since {formatTime(announcement.created_at)} · until {formatTime(announcement.expires_at)}
            </div>
          </div>
          <Button aria-label={`End ${nameOf(announcement)}`} onPress={() => onEnd(announcement)}>
            End
          </Button>
        </GridListItem>
      )}
    </RowList>
  )
}
