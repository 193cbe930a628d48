import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { NameDialog } from '../controls/name-dialog.tsx'
import { showError, showNotice, showUndo } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import type { Asset, AssetWithPage } from './asset.ts'
import { AssetMenu } from './asset-menu.tsx'
import { BranchDialog } from './branch-dialog.tsx'
import { EditPage } from './edit-page.tsx'

interface Props {
  asset: AssetWithPage
  onBranched: (id: string) => void
  onDeleted: () => void
}

/** The actions of an asset's owner. */
export function OwnActions({ asset, onBranched, onDeleted }: Props) {
  const { client, changed } = useSession()
  const [asked, setAsked] = useState<'page' | 'name' | 'branch' | 'delete'>()
  const { id, name, visibility, current_version } = asset
  const close = () => setAsked(undefined)
  const edit = useMutation({
    mutationFn: (change: Partial<Pick<Asset, 'name' | 'visibility'>>) =>
      client.assets.edit({ id, ...change }),
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
      <Button
        look={visibility === 'private' && current_version > 0 ? 'primary' : 'plain'}
        icon="globe"
        onPress={publish}
        isPending={edit.isPending}
      >
        {visibility === 'public' ? 'Unpublish' : 'Publish'}
      </Button>
      <Button icon="pencil" onPress={() => setAsked('page')}>
        Edit the page
      </Button>
      <AssetMenu
        asset={asset}
        choices={[
          { icon: 'pencil', text: 'Rename', onAction: () => setAsked('name') },
          ...(current_version > 0
            ? [{ icon: 'branch' as const, text: 'Branch', onAction: () => setAsked('branch') }]
            : []),
          { icon: 'trash', text: 'Delete', onAction: () => setAsked('delete'), isDanger: true },
        ]}
      />
      {asked === 'page' && <EditPage asset={asset} onClose={close} />}
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
            await client.assets.delete({ id })
            showUndo(`${name} is deleted. It can be restored from Deleted.`, async () => {
              await client.assets.restore({ id })
              showNotice(`${name} is restored.`)
              await changed('assets')
            })
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
