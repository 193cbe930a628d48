import type { Decision } from 'edge-game-storage-client'
import { GridListItem } from 'react-aria-components'
import { formatDay } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { SAFETY } from '../reports/keys.ts'
import { headlineOf, targetIcons } from '../reports/words.ts'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'

/** The decisions of moderators about the user's own things, newest first. */
export function Decisions() {
  const { client } = useSession()
  const { hrefOf } = usePlace()
  const list = usePages({
    queryKey: [SAFETY, 'decisions'],
    read: (cursor, signal) => client.decisions.list({ limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.decisions,
  })
  return (
    <Pages
      list={list}
      empty={
        <Empty icon="shield" title="Nothing was decided about your things">
          When a moderator warns you, hides something of yours or gives it a rating, it is here with the
          reason, and you can appeal.
        </Empty>
      }
    >
      {(decisions) => (
        <RowList className="safety-list" aria-label="Decisions about my things" items={decisions}>
          {(decision) => (
            <GridListItem
              id={decision.id}
              textValue={textOf(decision)}
              className="safety-row"
              href={hrefOf(['decisions', decision.id])}
            >
              <span className="safety-icon">
                <Icon name={targetIcons[decision.target.type]} size={20} />
              </span>
              <span className="safety-what">
                <span className="safety-title">
                  <Headline decision={decision} />
                </span>
                <span className="safety-begin quiet">
                  <bdi>{decision.statement}</bdi>
                </span>
                <span className="quiet small">{formatDay(decision.created_at)}</span>
              </span>
              <span className={decision.lifted_at === null ? 'safety-state' : 'safety-state good'}>
                {stateOf(decision)}
              </span>
            </GridListItem>
          )}
        </RowList>
      )}
    </Pages>
  )
}

function Headline({ decision }: { decision: Decision }) {
  const { before, thing, after } = headlineOf(decision)
  return (
    <>
      {before}
      <bdi>{thing}</bdi>
      {after}
    </>
  )
}

function textOf(decision: Decision): string {
  const { before, thing, after } = headlineOf(decision)
  return before + thing + after
}

/** Whether a decision is in force, and how an appeal stands, in a few words. */
function stateOf({ action, lifted_at, appeal }: Decision): string {
  if (appeal?.state === 'open') return 'Appeal is open'
  if (appeal?.state === 'reversed') return 'Appeal was right'
  if (lifted_at !== null) return 'Lifted'
  if (appeal?.state === 'upheld') return 'Stays after the appeal'
  return action === 'warn' ? 'Warning' : 'In force'
}
