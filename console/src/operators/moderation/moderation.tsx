import { useSettled } from '../../controls/use-settled.ts'
import { useSession } from '../../session/session.tsx'
import { usePlace } from '../../shell/place.tsx'
import { CasePage } from './case-page.tsx'
import { filterOf, useCases } from './cases.ts'
import { draftsOf } from './draft.ts'
import { FiguresPage } from './figures.tsx'
import { Queue } from './queue.tsx'
import { useWalk } from './use-walk.ts'
import './moderation.css'

export const build = BUILD

/** What moderators do: the queue of cases, one of them, and the figures of a month. */
export function Moderation() {
  const [, opened] = usePlace().path
  return opened === 'figures' ? <FiguresPage /> : <Cases opened={opened} />
}

function Cases({ opened }: { opened: string | undefined }) {
  const { query } = usePlace()
  const filter = filterOf(query)
  const owner = useSettled(filter.owner)
  const list = useCases({ ...filter, owner })
  const { studio } = useSession()
  const steps = useWalk(
    JSON.stringify(filter),
    list.items.map(({ id }) => id),
    opened,
  )
  if (opened === undefined) return <Queue filter={filter} list={list} />
  return (
    <CasePage
      key={opened}
      id={opened}
      steps={steps}
      hasMore={list.query.hasNextPage}
      onNearEnd={() => list.query.hasNextPage && !list.query.isFetching && void list.query.fetchNextPage()}
      drafts={draftsOf(studio)}
    />
  )
}
