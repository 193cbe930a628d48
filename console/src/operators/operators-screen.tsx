import './operators.css'
import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { PageTitle } from '../controls/page-title.tsx'
import { NeedsScope } from '../session/needs-scope.tsx'
import { later } from '../shell/later.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { Announcements } from './announcements.tsx'
import { Audit } from './audit.tsx'
import { Blocks } from './blocks.tsx'
import { DatabasesPart } from './databases.tsx'
import { Desk } from './desk/desk.tsx'
import { DESK } from './desk/desk-place.ts'
import { Events } from './events.tsx'
import { FindPlayer } from './find-player.tsx'
import { Job } from './job.tsx'
import { isPart, type Part, partNames, parts } from './parts.ts'
import { Player } from './player.tsx'
import { Recalls } from './recalls/recalls.tsx'

export const build = BUILD

const Moderation = later('moderation', async () => {
  const { Moderation: Shown, build } = await import('./moderation/moderation.tsx')
  return { Shown, build }
})

const shown: Record<Part, () => ReactNode> = {
  users: Players,
  moderation: Moderation,
  blocks: Blocks,
  announcements: Announcements,
  recalls: Recalls,
  events: Events,
  databases: DatabasesPart,
  audit: Audit,
  job: Job,
}

/** The tools of the studio's support, moderators and operators. Each part names the scope that it needs. */
export function OperatorsScreen() {
  const { path, go, hrefOf } = usePlace()
  const [segment] = path
  const shown = isPart(segment) ? segment : 'users'
  const [, user_id, inside] = path
  if (shown === 'users' && user_id !== undefined && inside === DESK)
    return <Desk key={user_id} user_id={user_id} />
  return (
    <Tabs
      className="operators"
      selectedKey={shown}
      // As of the screens: for Home and End.
      onSelectionChange={(key) => key !== shown && go(key === 'users' ? [] : [`${key}`])}
    >
      <PageTitle>Operators</PageTitle>
      <TabList className="tab-list" aria-label="Operators’ tools">
        {partNames.map((name) => (
          <Tab key={name} id={name} href={hrefOf(name === 'users' ? [] : [name])} className="tab">
            {parts[name].title}
          </Tab>
        ))}
      </TabList>
      {partNames.map((name) => (
        <TabPanel key={name} id={name} className="operator-part stack">
          <PartOf name={name} />
        </TabPanel>
      ))}
    </Tabs>
  )
}

function PartOf({ name }: { name: Part }) {
  const { title, scope } = parts[name]
  const Shown = shown[name]
  useTitle(name === 'users' ? undefined : title)
  if (name === 'users') return <Shown />
  // Its pages have heads of their own.
  if (name === 'moderation')
    return (
      <NeedsScope scope="content:moderate">
        <Shown />
      </NeedsScope>
    )
  return (
    <>
      <h2>{title}</h2>
      {scope ? (
        <NeedsScope scope={scope}>
          <Shown />
        </NeedsScope>
      ) : (
        <Shown />
      )}
    </>
  )
}

function Players() {
  const [, user_id] = usePlace().path
  return user_id === undefined ? <FindPlayer /> : <Player key={user_id} user_id={user_id} />
}
