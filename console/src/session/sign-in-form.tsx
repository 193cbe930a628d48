import { type FormEvent, useEffect, useState } from 'react'
import { Checkbox, CheckboxGroup, Form, Label } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { claimsOf } from './claims.ts'
import { developmentToken, isDevelopment } from './development.ts'
import { onReturn } from './reachability.ts'
import { scopes } from './scopes.ts'
import type { Identity } from './token.ts'

interface Props {
  /** The ids of the users who are signed in beside this one. */
  others: readonly string[]
  onSignIn: (identity: Identity) => void
}

/** The names that the form suggests: the first that is not signed in already. */
const names = ['ada', 'grace', 'linus']

/** Signs in: as any made-up user in development, with a pasted token elsewhere. */
export function SignIn({ others, onSignIn }: Props) {
  const [mode, setMode] = useState<'unknown' | 'development' | 'token'>('unknown')
  useEffect(() => {
    const ask = () =>
      isDevelopment().then(
        (is) => setMode(is ? 'development' : 'token'),
        () => setMode('unknown'),
      )
    void ask()
    return onReturn(() => void ask())
  }, [])
  return (
    <div className="sign-in">
      <div className="sign-in-picture">
        <p>Worlds, avatars, files, saves and inboxes of your players, in one page.</p>
        <p>Each screen shows the requests that it sends, as code to copy.</p>
      </div>
      <div className="sign-in-form">
        {mode === 'unknown' && <Waiting rows={3} />}
        {mode === 'development' && <MadeUpUser others={others} onSignIn={onSignIn} />}
        {mode === 'token' && <PastedToken onSignIn={onSignIn} />}
      </div>
    </div>
  )
}

function MadeUpUser({ others, onSignIn }: Props) {
  const [typed, setTyped] = useState<string>()
  const user_id = typed ?? names.find((name) => !others.includes(name)) ?? ''
  const [chosen, setChosen] = useState<string[]>([])
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const identity = { user_id: user_id.trim(), scopes: chosen }
    try {
      await developmentToken(identity)
      onSignIn(identity)
    } catch (refusal) {
      setError(refusal)
    }
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <h1>Sign in as anybody</h1>
      <p className="quiet">
        This is a development server: any name is a user. Open a second pane to see two users side by side.
      </p>
      <TextField label="User id" value={user_id} onChange={setTyped} isRequired autoFocus />
      <CheckboxGroup className="field" value={chosen} onChange={setChosen}>
        <Label>Also act as one of the studio’s services</Label>
        {Object.entries(scopes).map(([scope, what]) => (
          <Checkbox key={scope} value={scope} className="checkbox">
            <span className="box" />
            <span>
              {what} <code className="quiet">{scope}</code>
            </span>
          </Checkbox>
        ))}
      </CheckboxGroup>
      {error !== undefined && <ErrorNote error={error} />}
      <Button type="submit" look="primary">
        Sign in
      </Button>
    </Form>
  )
}

function PastedToken({ onSignIn }: Pick<Props, 'onSignIn'>) {
  const [token, setToken] = useState('')
  const claims = claimsOf(token.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (claims) onSignIn({ ...claims, token: token.trim() })
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <h1>Sign in with a token</h1>
      <p className="quiet">
        Paste a token of your login; in development <code>npm run --silent token -- ada</code> prints one. It
        stays in the memory of this page, and is gone when the page is closed.
      </p>
      <TextField label="Token" value={token} onChange={setToken} isRequired isLong autoFocus />
      {token.trim() !== '' && (
        <p className={claims ? 'quiet' : 'field-error'}>
          {claims
            ? `A token of ${claims.user_id}${claims.scopes.length > 0 ? `, with ${claims.scopes.join(', ')}` : ''}.`
            : 'This is not a token: it has three parts with dots between them, and names a user as sub.'}
        </p>
      )}
      <Button type="submit" look="primary" isDisabled={!claims}>
        Sign in
      </Button>
    </Form>
  )
}
