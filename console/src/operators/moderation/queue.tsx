import type { Case } from 'edge-game-storage-client/studio'
import { GridListItem, Input, Link, TextField, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { Select } from '../../controls/field.tsx'
import { formatCount } from '../../controls/format.ts'
import { Icon } from '../../controls/icon.tsx'
import { Pages } from '../../controls/pages.tsx'
import { RowList } from '../../controls/row-list.tsx'
import { Empty } from '../../controls/status.tsx'
import { categories, done } from '../../reports/words.ts'
import { usePlace } from '../../shell/place.tsx'
import { When } from '../when.tsx'
import {
  categoryChoices,
  countsOf,
  type Filter,
  sorts,
  states,
  titleOf,
  type useCases,
  waitingSince,
  waitText,
} from './cases.ts'
import { MODERATION_PART } from './part.ts'
import { ThumbnailOfCase } from './thumbnail-of-case.tsx'

interface Props {
  filter: Filter
  list: ReturnType<typeof useCases>
}

/** The cases that wait for a moderator, or that are decided. */
export function Queue({ filter, list }: Props) {
  const { query, change, hrefOf } = usePlace()
  const { state, category, owner, sort } = filter
  const isFiltered = category !== 'all' || owner.trim() !== ''
  return (
    <>
      <div className="queue-head">
        <h2 className="spread">Moderation</h2>
        <Link className="button plain" href={hrefOf([MODERATION_PART, 'figures'])}>
          <Icon name="list" />
          Figures
        </Link>
      </div>
      <div className="queue-filter">
        <ToggleButtonGroup
          className="queue-states"
          aria-label="Which cases"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[state]}
          onSelectionChange={(keys) => change({ state: `${[...keys][0] ?? 'open'}` })}
        >
          {Object.entries(states).map(([name, title]) => (
            <ToggleButton key={name} id={name} className="button plain toggle">
              {title}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <Select
          label="Category"
          isLabelHidden
          options={categoryChoices}
          value={category}
          onChange={(next) => change({ category: next === 'all' ? '' : next })}
        />
        <Select
          label="Order"
          isLabelHidden
          options={sorts}
          value={sort}
          onChange={(next) => change({ sort: next === 'oldest' ? '' : next })}
        />
        <TextField
          className="field"
          aria-label="Owner"
          value={owner}
          onChange={(next) => change({ owner: next })}
          maxLength={128}
        >
          <Input className="input" placeholder="Owner’s id" autoCapitalize="none" />
        </TextField>
      </div>
      <Pages list={list} empty={<NothingWaits state={state} isFiltered={isFiltered} />}>
        {(cases) => (
          <RowList
            className="queue"
            aria-label={`${states[state]} cases`}
            items={cases}
            dependencies={[query, state]}
          >
            {(found) => (
              <GridListItem
                id={found.id}
                textValue={titleOf(found)}
                className="queue-row"
                href={hrefOf([MODERATION_PART, found.id], query)}
              >
                <Row found={found} />
              </GridListItem>
            )}
          </RowList>
        )}
      </Pages>
    </>
  )
}

function Row({ found }: { found: Case }) {
  const { target, owner_id, report_count, is_illegal, decision, state, appeal } = found
  const since = waitingSince(found)
  const [counts, rest] = [countsOf(found).slice(0, 3), countsOf(found).length - 3]
  return (
    <>
      <ThumbnailOfCase target={target} />
      <span className="queue-what">
        <span className="queue-name">
          <bdi>{titleOf(found)}</bdi>
        </span>
        <span className="quiet small queue-owner">
          {target.type === 'user' ? 'A player' : target.type === 'file' ? 'A file' : 'An asset'}
          {target.type !== 'user' && (
            <>
              {' of '}
              <bdi>{owner_id ?? 'somebody who has been erased'}</bdi>
            </>
          )}
          {decision && (
            <>
              {' · '}
              {decision.lifted_at === null ? done[decision.action] : `${done[decision.action]}, lifted`}
              {decision.is_automated && ' by a machine'}
            </>
          )}
        </span>
        <span className="case-marks">
          {is_illegal && <span className="case-mark illegal">Said to be illegal</span>}
          {appeal?.state === 'open' && (
            <span className="case-mark appeal">
              Appeal by {appeal.by === 'owner' ? 'the owner' : 'a reporter'}
            </span>
          )}
          {counts.map(({ category, count }) => (
            <span key={category} className="case-mark">
              {categories[category]}
              {count > 1 && ` ${count.toLocaleString('en')}`}
            </span>
          ))}
          {rest > 0 && <span className="quiet small">+{rest}</span>}
        </span>
      </span>
      <span className="queue-facts">
        {report_count > 0 && <b>{formatCount(report_count, 'report')}</b>}
        {since !== undefined ? (
          <span className="quiet small">waits {waitText(since)}</span>
        ) : (
          <span className="quiet small">
            {state === 'decided' && decision ? (
              <>
                decided <When at={decision.created_at} />
              </>
            ) : (
              'opened by a moderator'
            )}
          </span>
        )}
      </span>
    </>
  )
}

function NothingWaits({ state, isFiltered }: { state: Filter['state']; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon="search" title="No such case">
        Choose all categories, or leave the owner out.
      </Empty>
    )
  if (state === 'decided')
    return (
      <Empty icon="shield" title="Nothing is decided yet">
        What moderators decide stays here, with its statement and its appeal.
      </Empty>
    )
  if (state === 'appealed')
    return (
      <Empty icon="check" title="No appeal waits">
        Owners appeal against decisions, and reporters where nothing was done. Another moderator answers.
      </Empty>
    )
  return (
    <Empty icon="check" title="Nothing waits">
      What players report appears here. Open a case yourself on the page of an asset or of a player.
    </Empty>
  )
}
