import type { AuditEntry } from 'edge-game-storage-client/studio'
import { type FormEvent, useState } from 'react'
import { Form, GridListItem, Link } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { formatTime, sentence } from '../controls/format.ts'
import { Pages, usePages } from '../controls/pages.tsx'
import { RowList } from '../controls/row-list.tsx'
import { Empty } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { acts, outcomeOf, whatWasDone } from './acts.ts'
import { When } from './when.tsx'

/** What was done under a scope, the latest first: by whom, to whom, why, and with which outcome. */
export function Audit() {
  const { studio } = useSession()
  const { by = '', player = '', act = '' } = usePlace().query
  const filters = {
    ...(by !== '' && { actor: by }),
    ...(player !== '' && { user_id: player }),
    ...(act !== '' && { action: act }),
  }
  const list = usePages({
    queryKey: ['audit', filters],
    read: (cursor, signal) => studio.audit.list({ limit: 50, ...filters, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.entries,
  })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <p className="quiet">
        An entry for everything that is done under a scope.{' '}
        <a href="/guides/helping-players#what-was-done">What has one</a>
      </p>
      <Filters by={by} player={player} act={act} />
      <Pages
        list={list}
        empty={
          <Empty icon="check" title={isFiltered ? 'Nothing of that was done' : 'Nothing was done yet'}>
            {isFiltered
              ? 'An erased player has another id here. Entries age out.'
              : 'Blocks, quotas, erasures and announcements appear here, with who made them.'}
          </Empty>
        }
      >
        {(entries) => <List entries={entries} />}
      </Pages>
    </>
  )
}

/** What was done to one player, the latest first. */
export function DoneTo({ user_id }: { user_id: string }) {
  const { studio } = useSession()
  const list = usePages({
    queryKey: ['audit', { user_id }],
    read: (cursor, signal) => studio.audit.list({ limit: 50, user_id, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.entries,
  })
  return (
    <Pages
      list={list}
      empty={
        <Empty icon="check" title="Nothing was done yet">
          What support and moderators do to {user_id} appears here.
        </Empty>
      }
    >
      {(entries) => <List entries={entries} />}
    </Pages>
  )
}

const actions: Record<string, string> = {
  any: 'Anything',
  ...Object.fromEntries(Object.entries(acts).map(([action, { done }]) => [action, sentence(done)])),
}

function Filters({ by, player, act }: { by: string; player: string; act: string }) {
  const { change } = usePlace()
  // What is typed and not shown yet. Else the fields have what the address has.
  const [typed, setTyped] = useState<{ by?: string; player?: string }>({})
  const wanted = { by, player, ...typed }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ by: wanted.by.trim(), player: wanted.player.trim() })
    setTyped({})
  }
  return (
    <Form className="line" onSubmit={submit}>
      <TextField
        label="Done to"
        value={wanted.player}
        onChange={(player) => setTyped({ ...typed, player })}
        maxLength={128}
        placeholder="Any player"
      />
      <TextField
        label="Done by"
        value={wanted.by}
        onChange={(by) => setTyped({ ...typed, by })}
        maxLength={128}
        placeholder="Anybody"
      />
      <Select
        label="What"
        options={actions}
        value={act === '' ? 'any' : act}
        onChange={(next) => change({ act: next === 'any' ? '' : next })}
      />
      <Button type="submit" icon="search">
        Show
      </Button>
    </Form>
  )
}

function List({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <RowList className="blocked" aria-label="What was done" items={entries}>
      {(entry) => (
        <GridListItem
          id={entry.id}
          textValue={`${entry.actor} ${whatWasDone(entry)} ${entry.user_id ?? ''}`}
          className="blocked-item"
        >
          <Entry entry={entry} />
        </GridListItem>
      )}
    </RowList>
  )
}

/** An entry in words: “mod-7 blocked an asset of ada, 12 minutes ago”, “‘reported three times’”. */
function Entry({ entry }: { entry: AuditEntry }) {
  const { hrefOf } = usePlace()
  const { actor, user_id, reason, at, resource } = entry
  return (
    <div className="spread">
      <div>
        <b>
          <bdi>{actor}</bdi>
        </b>{' '}
        {whatWasDone(entry)}
        {user_id !== null && (
          <>
            {' '}
            <Link href={hrefOf(['users', user_id], {}, 'operators')}>
              <bdi>{user_id}</bdi>
            </Link>
          </>
        )}
        {', '}
        <When at={at} />
      </div>
      {reason !== null && <div>‘{reason}’</div>}
      <Outcome entry={entry} />
      <div className="quiet small">
        {formatTime(at)}
        {resource !== null && (
          <>
            {' · '}
            <code>{resource}</code>
          </>
        )}
      </div>
    </div>
  )
}

/** What is to be known of an act that was not simply done. */
function Outcome({ entry: { status } }: { entry: AuditEntry }) {
  const outcome = outcomeOf({ status })
  if (outcome === 'done') return null
  if (outcome === 'refused')
    return <div className="quiet">It was refused with {status}, and changed nothing.</div>
  return (
    <p className="hint">
      {status === null ? 'It was cut off, or has not ended' : `It failed with ${status}`}: nobody knows
      whether it took effect. Look at what it was about.
    </p>
  )
}
