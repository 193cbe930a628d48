import { type FormEvent, useEffect, useState } from 'react'
import { Checkbox, CheckboxGroup, Form, Label } from 'react-aria-components'
import { type Rating, ratingBounds } from '../assets/rating.ts'
import { Button } from '../controls/button.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { claimsOf } from './claims.ts'
import { developmentToken, isDevelopment } from './development.ts'
import { onReturn } from './reachability.ts'
import { permission, scopeGroups, scopes } from './scopes.ts'
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
        <p>The Developer view shows the requests that each screen sends, as code to copy.</p>
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
  const [upTo, setUpTo] = useState<Rating>('mature')
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const identity = {
      user_id: user_id.trim(),
      scopes: chosen,
      ...(upTo !== 'mature' && { max_rating: upTo }),
    }
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
      <Select
        label="Sees assets of others"
        options={ratingBounds}
        value={upTo}
        onChange={setUpTo}
        hint={
          <>
            The claim <code>max_rating</code> of the token.
          </>
        }
      />
      <Scopes chosen={chosen} onChange={setChosen} />
      {error !== undefined && <ErrorNote error={error} />}
      <Button type="submit" look="primary">
        Sign in
      </Button>
    </Form>
  )
}

const all: readonly string[] = Object.keys(scopes)

/** The choice of scopes: what each allows, and its name behind. */
function Scopes({ chosen, onChange }: { chosen: string[]; onChange: (chosen: string[]) => void }) {
  const areAll = chosen.length === all.length
  return (
    <CheckboxGroup className="field scopes" value={chosen} onChange={onChange}>
      <div className="row">
        <Label className="spread scopes-label">Also work for the studio</Label>
        <Button look="quiet" onPress={() => onChange(areAll ? [] : [...all])}>
          {areAll ? 'Choose none' : 'Choose all'}
        </Button>
      </div>
      {Object.entries(scopeGroups).map(([group, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would have a legend that no grid can place
        <div key={group} role="group" aria-label={group}>
          <h2 className="scope-group quiet small">{group}</h2>
          {Object.entries<string>(members).map(([scope, allowed]) => (
            <Checkbox key={scope} value={scope} className="checkbox">
              <span className="box" />
              <span>
                {allowed} <code className="quiet">{scope}</code>
              </span>
            </Checkbox>
          ))}
        </div>
      ))}
    </CheckboxGroup>
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
            ? `A token of ${claims.user_id}.${claims.scopes.length > 0 ? ` It allows: ${claims.scopes.map(permission).join('; ')}.` : ''}`
            : 'This is not a token: it has three parts with dots between them, and names a user as sub.'}
        </p>
      )}
      <Button type="submit" look="primary" isDisabled={!claims}>
        Sign in
      </Button>
    </Form>
  )
}
