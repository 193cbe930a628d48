import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ServiceError } from 'edge-game-storage-client'
import { DropZone, FileTrigger, isFileDropItem } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { showNotice } from '../controls/notice.tsx'
import { ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import type { Asset } from './asset.ts'
import { setPreview } from './make-preview.ts'
import { Picture } from './picture.tsx'
import { filesOnly } from './releases/release.ts'

/** What the service refuses, in words for those who choose pictures. */
const problems: { readonly [code in ServiceError['code']]?: string } = {
  UPLOAD_MISMATCH: 'This is no picture that can be a preview: choose a PNG, a JPEG or a WebP.',
  BODY_TOO_LARGE: 'This picture is too large: a preview has at most 1 MiB.',
  QUOTA_EXCEEDED: 'The quota has no room for this picture.',
}

/** The preview of an own asset. A picture that is dropped or chosen replaces it. */
export function PreviewDrop({ asset }: { asset: Asset }) {
  const { client, changed } = useSession()
  const cache = useQueryClient()
  const { id, name, preview_url } = asset
  const change = useMutation({
    mutationFn: async (picture: File | null) => {
      if (picture) await setPreview(client, id, picture)
      else await client.assets.deletePreview({ id })
    },
    onSuccess: async (_, picture) => {
      showNotice(picture ? `${name} has a new preview.` : `${name} has no preview any more.`)
      void cache.invalidateQueries({ queryKey: ['quota'] })
      await changed('assets')
    },
  })
  const { error } = change
  return (
    <div className="preview-place">
      <DropZone
        className="preview-drop"
        aria-label={`Drop or paste a preview of ${name}`}
        getDropOperation={filesOnly}
        onDrop={async ({ items }) => {
          const picture = await items.find(isFileDropItem)?.getFile()
          if (picture) change.mutate(picture)
        }}
      >
        <Picture asset={asset} place="page" />
      </DropZone>
      <div className="row preview-buttons">
        <FileTrigger
          acceptedFileTypes={['image/*']}
          onSelect={(files) => {
            const [picture] = files ?? []
            if (picture) change.mutate(picture)
          }}
        >
          <Button icon="picture" isPending={change.isPending}>
            {preview_url === null ? 'Add a preview' : 'Replace the preview'}
          </Button>
        </FileTrigger>
        {preview_url !== null && (
          <IconButton
            look="plain"
            icon="trash"
            label="Remove the preview"
            onPress={() => change.mutate(null)}
          />
        )}
      </div>
      {error && (
        <ErrorNote error={error} text={error instanceof ServiceError ? problems[error.code] : undefined} />
      )}
    </div>
  )
}
