import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { NameDialog } from '../controls/name-dialog.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import type { Asset } from './asset.ts'
import { BranchDialog } from './branch-dialog.tsx'

interface Props {
  asset: Asset
  onBranched: (id: string) => void
  onDeleted: () => void
}

/** The actions of an asset's owner. */
export function OwnActions({ asset, onBranched, onDeleted }: Props) {
  const { client, changed } = useSession()
  const [asked, setAsked] = useState<'name' | 'branch' | 'delete'>()
  const { id, name, visibility, current_version } = asset
  const close = () => setAsked(undefined)
  const edit = useMutation({
    mutationFn: (change: Partial<Pick<Asset, 'name' | 'visibility'>>) => client.editAsset({ id, ...change }),
    onSuccess: () => changed('assets'),
  })
  const publish = () =>
    edit.mutate(
      { visibility: visibility === 'public' ? 'private' : 'public' },
      {
        onSuccess: (edited) =>
          showNotice(edited.visibility === 'public' ? `${name} is public now.` : `${name} is private now.`),
        onError: showError,
      },
    )
  return (
    <>
      <NewVersion asset={asset} />
      <Button icon="globe" onPress={publish} isPending={edit.isPending}>
        {visibility === 'public' ? 'Unpublish' : 'Publish'}
      </Button>
      <Button onPress={() => setAsked('name')}>Rename</Button>
      {current_version > 0 && (
        <Button icon="branch" onPress={() => setAsked('branch')}>
          Branch
        </Button>
      )}
      <Button look="danger" icon="trash" onPress={() => setAsked('delete')}>
        Delete
      </Button>
      {asked === 'name' && (
        <NameDialog
          title={`Rename ${name}`}
          action="Rename"
          initial={name}
          onSubmit={(other) => edit.mutateAsync({ name: other })}
          onClose={close}
        />
      )}
      {asked === 'branch' && <BranchDialog asset={asset} onBranched={onBranched} onClose={close} />}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete"
          onConfirm={async () => {
            await client.deleteAsset({ id })
            showNotice(`${name} is deleted. It can be restored from Deleted.`)
            onDeleted()
            await changed('assets', { isLeaving: true })
          }}
          onClose={close}
        >
          It disappears for everybody, and can be restored for a while. Branches that others made stay.
        </Confirm>
      )}
    </>
  )
}

function NewVersion({ asset: { id, name, current_version } }: { asset: Asset }) {
  const queue = useQueue()
  return (
    <FileTrigger
      onSelect={(files) => {
        const [content] = files ?? []
        if (content) queue.addVersion(content, name, { kind: 'version', asset_id: id })
      }}
    >
      <Button look="primary" icon="up">
        {current_version === 0 ? 'Upload the first version' : 'Upload a new version'}
      </Button>
    </FileTrigger>
  )
}
