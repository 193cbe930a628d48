import type { ReactNode } from 'react'
import { Button } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
import { type Scope, scopes } from './scopes.ts'
import { useSession } from './session.tsx'

/**
 * Shows what needs a scope to a user who has it. To others it names the scope and, in development, offers the token with it: the
 * user stays signed in, and where they are.
 */
export function NeedsScope({ scope, children }: { scope: Scope; children: ReactNode }) {
  const session = useSession()
  if (session.scopes.includes(scope)) return children
  return (
    <div className="needs-scope">
      <Icon name="shield" />
      <p className="spread">
        {scopes[scope]}: this needs a token with the scope <code>{scope}</code>.
        {!session.addScope && ' Sign out, and in again with one that has it.'}
      </p>
      {session.addScope && (
        <Button onPress={() => session.addScope?.(scope)} aria-label={`Get a token with it: ${scope}`}>
          Get a token with it
        </Button>
      )}
    </div>
  )
}
