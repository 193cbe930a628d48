import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Breadcrumb, Breadcrumbs, Link } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { copyText } from '../controls/copy.ts'
import { NeedsScope } from '../session/needs-scope.tsx'
import type { Scope } from '../session/scopes.ts'
import { useSession } from '../session/session.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { BlockedList } from './blocked-list.tsx'
import { DESK, deskScreens } from './desk/desk-place.ts'
import { Erasure } from './erasure.tsx'
import { OpenCase } from './moderation/open-case.tsx'
import { Overview } from './overview.tsx'
import { QuotaOfUser } from './quota-of-user.tsx'

/** The page of a player: how much they have, and what support can do. Each part needs a scope of its own. */
export function Player({ user_id }: { user_id: string }) {
  const { hrefOf } = usePlace()
  const name = useRef<HTMLHeadingElement>(null)
  useTitle(user_id)
  // The form or the link that led here is gone, and the focus with it.
  useEffect(() => {
    if (document.activeElement === document.body) name.current?.focus()
  }, [])
  return (
    <>
      <Breadcrumbs className="asset-crumbs">
        <Breadcrumb>
          <Link className="asset-link" href={hrefOf([])}>
            Players
          </Link>
        </Breadcrumb>
        <Breadcrumb>
          <Link className="asset-link cut" dir="auto">
            {user_id}
          </Link>
        </Breadcrumb>
      </Breadcrumbs>
      <div className="player-head">
        <h2 className="cut player-name" ref={name} tabIndex={-1}>
          {user_id}
        </h2>
        <Button look="quiet" icon="copy" onPress={() => copyText(user_id, `The id of ${user_id} is copied.`)}>
          Copy the id
        </Button>
        <OpenCase target={{ type: 'user', id: user_id }} name={user_id} />
        <Link href={hrefOf(['audit'], { player: user_id })}>What was done to them</Link>
      </div>
      <div className="player-parts">
        <Card title="What they have" scope="users:read">
          <Overview user_id={user_id} />
        </Card>
        <Card title="Act for them" scope="players:read" other="players:write">
          <p className="quiet">
            See and do what <bdi>{user_id}</bdi> could. The audit gets an entry for each act.
          </p>
          <nav className="desk-links" aria-label={`Act for ${user_id}`}>
            {Object.entries(deskScreens).map(([name, title]) => (
              <Link key={name} className="button plain" href={hrefOf(['users', user_id, DESK, name])}>
                {title}
              </Link>
            ))}
          </nav>
        </Card>
        <Card title="Quota" scope="quota:write">
          <QuotaOfUser user_id={user_id} />
        </Card>
        <Card title="Blocked content" scope="content:moderate">
          <BlockedList owner_id={user_id}>
            <p className="quiet">
              Nothing of <bdi>{user_id}</bdi> is blocked. Block an asset or a shared file where you see it, or
              by its id in Blocks.
            </p>
          </BlockedList>
        </Card>
        <Card title="Erase" scope="users:erase">
          <Erasure user_id={user_id} />
        </Card>
      </div>
    </>
  )
}

interface CardProps {
  title: string
  scope: Scope
  /** A scope that includes the other. */
  other?: Scope
  children: ReactNode
}

function Card({ title, scope, other, children }: CardProps) {
  const { scopes } = useSession()
  const id = useId()
  return (
    <section className="part stack" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <NeedsScope scope={other && scopes.includes(other) ? other : scope}>{children}</NeedsScope>
    </section>
  )
}
