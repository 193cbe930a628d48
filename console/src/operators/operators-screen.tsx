import './operators.css'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { Announcements } from './announcements.tsx'
import { Blocks } from './blocks.tsx'
import { Erasure } from './erasure.tsx'
import { Job } from './job.tsx'
import { QuotaOfUser } from './quota-of-user.tsx'

/** The tools of the studio's support and moderators. Each part needs a token with its scope. */
export function OperatorsScreen() {
  return (
    <div className="operators">
      <Part title="A user’s quota" scope="quota:write">
        <QuotaOfUser />
      </Part>
      <Part title="Blocked content" scope="content:moderate">
        <Blocks />
      </Part>
      <Part title="Announcements" scope="announcements:publish">
        <Announcements />
      </Part>
      <Part title="Erase a user" scope="users:erase">
        <Erasure />
      </Part>
      <section className="part stack" aria-label="The scheduled job">
        <h2>The scheduled job</h2>
        <Job />
      </section>
    </div>
  )
}

function Part({ title, scope, children }: { title: string; scope: string; children: ReactNode }) {
  const { scopes } = useSession()
  return (
    <section className="part stack" aria-label={title}>
      <h2>{title}</h2>
      {scopes.includes(scope) ? (
        children
      ) : (
        <p className="quiet">
          This needs a token with the scope <code>{scope}</code>. Sign out, and in again with it.
        </p>
      )}
    </section>
  )
}
