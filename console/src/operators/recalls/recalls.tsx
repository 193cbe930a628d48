import type { Recall } from 'edge-game-storage-client/studio'
import { useState } from 'react'
import { Button } from '../../controls/button.tsx'
import { Confirm } from '../../controls/confirm.tsx'
import { formatCount, formatTime } from '../../controls/format.ts'
import { showNotice } from '../../controls/notice.tsx'
import { Pages, usePages } from '../../controls/pages.tsx'
import { Empty } from '../../controls/status.tsx'
import { useSession } from '../../session/session.tsx'
import { NewRecall } from './new-recall.tsx'
import { OfPlayer } from './of-player.tsx'

/** How often the counts are read again while they are shown, in milliseconds: they are minutes behind. */
const REFRESH_MS = 30_000

/** Recalls the saves of all players, lists the recalls with how far each has come, and ends them. */
export function Recalls() {
  const { studio, changed } = useSession()
  const [ending, setEnding] = useState<Recall>()
  const list = usePages({
    queryKey: ['recalls'],
    read: (cursor, signal) => studio.recalls.list({ limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.recalls,
    refreshMs: REFRESH_MS,
  })
  return (
    <>
      <p className="quiet">
        A recall takes the saves of all players back to before a time, such as that of a broken patch.{' '}
        <a href="/guides/recalling-saves">What it does</a>
      </p>
      <NewRecall />
      <Pages
        list={list}
        empty={
          <Empty icon="save" title="Nothing was recalled">
            Recalls appear here, with how far each has come.
          </Empty>
        }
      >
        {(recalls) => (
          <ul className="blocked" aria-label="Recalls">
            {recalls.map((recall) => (
              <li key={recall.id} className="blocked-item">
                <Shown recall={recall} onEnd={() => setEnding(recall)} />
              </li>
            ))}
          </ul>
        )}
      </Pages>
      {ending && (
        <Confirm
          title="End the recall?"
          action="End the recall"
          onConfirm={async () => {
            await studio.recalls.end({ id: ending.id })
            showNotice('The recall has ended.')
            await changed('recalls')
          }}
          onClose={() => setEnding(undefined)}
        >
          Players whom it has not reached keep their saves. What went back stays so; each player can restore
          it. This can’t be undone.
        </Confirm>
      )}
    </>
  )
}

function Shown({ recall, onEnd }: { recall: Recall; onEnd: () => void }) {
  const { reason, from, until, newer, slots, ended_at } = recall
  return (
    <>
      <div className="spread stack">
        <div>
          <div>
            <bdi>{reason}</bdi>
          </div>
          <div className="quiet small">
            {slots ? `In ${slots.join(', ')}: what` : 'What'} was written from {formatTime(from)} until{' '}
            {formatTime(until)}; {newer === 'revert' ? 'newer saves go back, too' : 'newer saves stay'}
          </div>
          <div className="small">{progressOf(recall)}</div>
        </div>
        <OfPlayer recall_id={recall.id} />
      </div>
      {ended_at === null ? (
        <Button aria-label={`End the recall: ${reason}`} onPress={onEnd}>
          End
        </Button>
      ) : (
        <span className="quiet small">ended {formatTime(ended_at)}</span>
      )}
    </>
  )
}

/** How far a recall has come, in words. */
function progressOf({ player_count, slot_count, kept_count, without_earlier_count }: Recall): string {
  const parts = [
    `${formatCount(slot_count, 'save')} of ${formatCount(player_count, 'player')} went back so far`,
    kept_count > 0 && `${kept_count} stayed, because they were written since`,
    without_earlier_count > 0 && `${without_earlier_count} stayed, because they have no earlier revision`,
  ]
  return parts.filter((part) => part !== false).join('; ')
}
