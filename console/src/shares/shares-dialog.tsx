import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { formatTime } from '../controls/format.ts'
import { showError, showNotice } from '../controls/notice.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { useActions } from '../files/actions.ts'
import { type Item, isFolder } from '../files/item.ts'
import { putItem } from '../files/list-cache.ts'
import { useSession } from '../session/session.tsx'
import './shares.css'

/** Lists who has access to a file and until when, shares it, and revokes shares. Of a folder, says what can be done instead. */
export function SharesDialog({ item, onClose }: { item: Item; onClose: () => void }) {
  return (
    <Dialog title={`Share ${item.name}`} isOpen onClose={onClose}>
      {isFolder(item) ? (
        <FolderNote folder={item} onClose={onClose} />
      ) : (
        <>
          <ShareForm item={item} />
          <Shares item={item} />
        </>
      )}
    </Dialog>
  )
}

function FolderNote({ folder, onClose }: { folder: Item; onClose: () => void }) {
  const { setPublic } = useActions()
  return (
    <>
      <p>
        A folder can’t be shared with single users. Share the files in it one by one
        {folder.is_public
          ? '. The folder is public already: every signed-in user who has its id can read all that is in it.'
          : ', or make the folder public: then every signed-in user who has its id can read all that is in it.'}
      </p>
      {!folder.is_public && (
        <Button
          icon="globe"
          onPress={() => {
            onClose()
            void setPublic(folder, true)
          }}
        >
          Make public
        </Button>
      )}
    </>
  )
}

/** Marks an item as shared, or not, wherever it is shown. */
function useSharedMark() {
  const cache = useQueryClient()
  return async ({ shared: _, ...item }: Item, isShared: boolean) => {
    putItem(cache, isShared ? { ...item, shared: true } : item)
    await cache.invalidateQueries({ queryKey: ['item', item.id] })
  }
}

const lifetimes = {
  never: 'Until it is revoked',
  minutes: 'For ten minutes',
  hour: 'For an hour',
  day: 'For a day',
  week: 'For a week',
}
const seconds = { never: undefined, minutes: 600, hour: 3_600, day: 86_400, week: 604_800 }
const permissions = { view: 'May view', edit: 'May edit' }

function ShareForm({ item }: { item: Item }) {
  const { client, changed } = useSession()
  const mark = useSharedMark()
  const [grantee_id, setGrantee] = useState('')
  const [permission, setPermission] = useState<keyof typeof permissions>('view')
  const [lifetime, setLifetime] = useState<keyof typeof lifetimes>('never')
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setPending(true)
    setError(undefined)
    const length = seconds[lifetime]
    const expires_at = length === undefined ? null : Math.floor(Date.now() / 1_000) + length
    try {
      await client.shares.create({ id: item.id, grantee_id: grantee_id.trim(), permission, expires_at })
      showNotice(`Shared ${item.name} with ${grantee_id.trim()}.`)
      setGrantee('')
      await mark(item, true)
      await changed('shares')
    } catch (refusal) {
      setError(refusal)
    }
    setPending(false)
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <TextField label="With the user" value={grantee_id} onChange={setGrantee} isRequired autoFocus />
      <div className="row share-options">
        <Select label="Permission" options={permissions} value={permission} onChange={setPermission} />
        <Select label="How long" options={lifetimes} value={lifetime} onChange={setLifetime} />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <Button type="submit" look="primary" isPending={isPending}>
        Share
      </Button>
    </Form>
  )
}

/** Who has access to a file and until when, with buttons that revoke it. */
export function Shares({ item }: { item: Item }) {
  const { client, changed } = useSession()
  const mark = useSharedMark()
  const shares = useQuery({
    queryKey: ['shares', item.id],
    queryFn: ({ signal }) => client.shares.listOfFile({ id: item.id }, { signal }),
  })
  const revoke = async (id: string, grantee_id: string) => {
    try {
      await client.shares.revoke({ id })
      const now = Date.now() / 1_000
      const isShared = shares.data?.some((share) => share.id !== id && (share.expires_at ?? now + 1) > now)
      await mark(item, isShared ?? false)
      showNotice(`${grantee_id} has no access to ${item.name} any more.`)
      await changed('shares')
    } catch (error) {
      showError(error)
    }
  }
  if (shares.isPending) return <Waiting rows={2} />
  if (shares.isError) return <ErrorNote error={shares.error} onRetry={() => void shares.refetch()} />
  if (shares.data.length === 0) return <p className="quiet">Nobody else has access.</p>
  return (
    <section className="stack" aria-label="Who has access">
      <h3>Who has access</h3>
      <ul className="plain-list">
        {shares.data.map(({ id, grantee_id, permission, expires_at }) => (
          <li key={id} className="row">
            <span className="cut">{grantee_id}</span>
            <span className="quiet small spread">
              may {permission}, {untilWhen(expires_at)}
            </span>
            <Button onPress={() => void revoke(id, grantee_id)} aria-label={`Revoke ${grantee_id}’s share`}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The end of a share, in words. */
export function untilWhen(expires_at: number | null): string {
  if (expires_at === null) return 'until it is revoked'
  return `${expires_at * 1_000 < Date.now() ? 'expired' : 'until'} ${formatTime(expires_at)}`
}
