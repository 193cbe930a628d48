import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import { Confirm } from '../controls/confirm.tsx'
import { NameDialog } from '../controls/name-dialog.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { Pages, usePages } from '../controls/pages.tsx'
import { Empty } from '../controls/status.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import { ASSETS, type Asset, type TypeChoice, typeOf } from './asset.ts'
import { AssetList } from './asset-list.tsx'

/** Deleted assets: each can be restored, or deleted permanently. */
export function DeletedAssets({ type }: { type: TypeChoice }) {
  const { client, changed } = useSession()
  const [renamed, setRenamed] = useState<Asset>()
  const [purged, setPurged] = useState<Asset>()
  const list = usePages({
    queryKey: [ASSETS, 'deleted', type],
    read: (cursor, signal) =>
      client.assets.list({ ...typeOf(type), deleted: true, limit: 50, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.assets,
  })
  const done = (text: string) => {
    showNotice(text)
    return changed('assets')
  }
  const restore = useMutation({
    mutationFn: ({ id, name }: { id: string; name?: string }) =>
      client.assets.restore({ id, ...(name !== undefined && { name }) }),
    onSuccess: ({ name }) => done(`${name} is restored.`),
  })
  const restoreAs = (asset: Asset) =>
    restore.mutate(
      { id: asset.id },
      {
        onError: (error) => (isRefusal(error, 'DUPLICATE_ASSET_NAME') ? setRenamed(asset) : showError(error)),
      },
    )
  return (
    <>
      <Pages
        list={list}
        empty={
          <Empty icon="trash" title="Nothing is deleted">
            A deleted asset stays here for a while. It can be restored until then.
          </Empty>
        }
      >
        {(assets) => (
          <AssetList
            label="Deleted assets"
            assets={assets}
            actions={(asset) => (
              <>
                <Button icon="restore" onPress={() => restoreAs(asset)}>
                  Restore
                </Button>
                <IconButton icon="trash" label="Delete permanently" onPress={() => setPurged(asset)} />
              </>
            )}
          />
        )}
      </Pages>
      {renamed && (
        <NameDialog
          title={`Restore ${renamed.name}`}
          action="Restore"
          initial={renamed.name}
          onSubmit={(name) => restore.mutateAsync({ id: renamed.id, name })}
          onClose={() => setRenamed(undefined)}
        >
          Another asset of yours has this name now. Choose a different one.
        </NameDialog>
      )}
      {purged && (
        <Confirm
          title={`Delete ${purged.name} permanently?`}
          action="Delete permanently"
          onConfirm={async () => {
            await client.assets.delete({ id: purged.id, permanent: true })
            await done(`${purged.name} is gone.`)
          }}
          onClose={() => setPurged(undefined)}
        >
          All of its versions are deleted. This can’t be undone. Branches that others made keep their content.
        </Confirm>
      )}
    </>
  )
}
