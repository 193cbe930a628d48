import { useMutation } from '@tanstack/react-query'
import type { BlockedKind } from 'edge-game-storage-client/studio'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { showNotice } from '../controls/notice.tsx'
import { Empty, ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { blockThing, kinds } from './block.ts'
import { BlockedList } from './blocked-list.tsx'

/** Blocks a file or an asset by its id, and lists all blocks, the latest first. */
export function Blocks() {
  return (
    <>
      <p className="quiet">
        A blocked file or asset is there for its owner only. Block it where you see it, on the page of an
        asset or in Shared with me; or here, by the id that a report has.
      </p>
      <Block />
      <BlockedList>
        <Empty icon="shield" title="Nothing is blocked">
          Block a file or an asset by its id, as reports and the lists of the API give it.
        </Empty>
      </BlockedList>
    </>
  )
}

function Block() {
  const { studio, changed } = useSession()
  const [kind, setKind] = useState<BlockedKind>('assets')
  const [id, setId] = useState('')
  const [reason, setReason] = useState('')
  const block = useMutation({
    mutationFn: () => blockThing(studio, kind, id.trim(), reason),
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
      <TextField label="Reason, for moderators" value={reason} onChange={setReason} maxLength={500} />
      <Button type="submit" look="danger" isPending={block.isPending}>
        Block
      </Button>
      {block.isError && <ErrorNote error={block.error} />}
    </Form>
  )
}
