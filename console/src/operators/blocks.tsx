import { useMutation } from '@tanstack/react-query'
import type { components } from 'edge-game-storage-client'
import { type FormEvent, useState } from 'react'
import { Form, GridList, GridListItem } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { formatTime } from '../controls/format.ts'
import { showError, showNotice } from '../controls/notice.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty, ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'

type BlockedContent = components['schemas']['BlockedContent']
type Kind = BlockedContent['kind']

const kinds: Record<Kind, string> = { files: 'File or folder', assets: 'Game asset' }

/** Blocks a file or an asset by its id, and lists all blocks, the latest first. */
export function Blocks() {
  const { client } = useSession()
  const list = usePages({
    queryKey: ['blocked'],
    read: (cursor, signal) => client.listBlocked({ limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.blocked,
  })
  return (
    <>
      <Block />
      <Pages
        list={list}
        empty={
          <Empty icon="shield" title="Nothing is blocked">
            Block a file or an asset by its id, as reports and the lists of the API give it.
          </Empty>
        }
      >
        {(things) => <List things={things} />}
      </Pages>
    </>
  )
}

function Block() {
  const { client, changed } = useSession()
  const [kind, setKind] = useState<Kind>('assets')
  const [id, setId] = useState('')
  const [reason, setReason] = useState('')
  const block = useMutation({
    mutationFn: () => {
      const given = { id: id.trim(), ...(reason !== '' && { reason }) }
      return kind === 'files' ? client.blockFile(given) : client.blockAsset(given)
    },
    onSuccess: () => {
      setId('')
      setReason('')
      showNotice('It is blocked: only its owner sees it.')
      return changed('blocks')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    block.mutate()
  }
  return (
    <Form className="line" onSubmit={submit}>
      <Select label="Kind" options={kinds} value={kind} onChange={setKind} />
      <TextField label="Id" value={id} onChange={setId} isRequired />
      <TextField label="Reason, for moderators" value={reason} onChange={setReason} />
      <Button type="submit" look="danger" isPending={block.isPending}>
        Block
      </Button>
      {block.isError && <ErrorNote error={block.error} />}
    </Form>
  )
}

function List({ things }: { things: readonly BlockedContent[] }) {
  const { client, changed } = useSession()
  const unblock = useMutation({
    mutationFn: ({ kind, id }: BlockedContent) =>
      kind === 'files' ? client.unblockFile({ id }) : client.unblockAsset({ id }),
    onSuccess: () => changed('blocks'),
    onError: showError,
  })
  return (
    <GridList
      className="blocked"
      aria-label="Blocked content"
      items={things}
      dependencies={[unblock.isPending]}
    >
      {(thing) => (
        <GridListItem id={thing.id} textValue={thing.name} className="blocked-item">
          <div className="spread">
            <div className="cut">{thing.name}</div>
            <div className="quiet small">
              {kinds[thing.kind]} of {thing.owner_id} · {formatTime(thing.blocked_at)}
              {thing.blocked_by !== null && ` · by ${thing.blocked_by}`}
              {thing.reason !== null && ` · ${thing.reason}`}
            </div>
          </div>
          <Button onPress={() => unblock.mutate(thing)} isDisabled={unblock.isPending}>
            Unblock
          </Button>
        </GridListItem>
      )}
    </GridList>
  )
}
