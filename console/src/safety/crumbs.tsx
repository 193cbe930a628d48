import { Breadcrumb, Breadcrumbs, Link } from 'react-aria-components'
import { usePlace } from '../shell/place.tsx'

const titles = { decisions: 'Decisions about my things', reports: 'My reports' } as const

/** The way back to the list of reports or of decisions. */
export function Crumbs({ part, title }: { part: keyof typeof titles; title: string }) {
  const { hrefOf } = usePlace()
  return (
    <Breadcrumbs className="asset-crumbs">
      <Breadcrumb>
        <Link className="asset-link" href={hrefOf(part === 'decisions' ? [] : [part])}>
          {titles[part]}
        </Link>
      </Breadcrumb>
      <Breadcrumb>
        <Link className="asset-link cut" dir="auto">
          {title}
        </Link>
      </Breadcrumb>
    </Breadcrumbs>
  )
}
