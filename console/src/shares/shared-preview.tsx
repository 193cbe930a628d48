import type { SharedWithMe } from 'edge-game-storage-client'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatBytes } from '../controls/format.ts'
import { kindOf, kinds, previewKind } from '../files/item.ts'
import { PreviewContent } from '../files/preview-content.tsx'
import { PreviewSteps } from '../files/preview-steps.tsx'
import { useSession } from '../session/session.tsx'

interface Props {
  share: SharedWithMe
  /** The shares among which the next and the previous one are. */
  shares: readonly SharedWithMe[]
  onShow: (id: string) => void
  onDownload: (share: SharedWithMe) => Promise<void>
  onClose: () => void
}

/** Shows the content of a file that another user has shared. */
export function SharedPreview({ share, shares, onShow, onDownload, onClose }: Props) {
  const { client } = useSession()
  const { id, file } = share
  const shown = shares.filter((one) => !one.file.in_trash && previewKind(one.file) !== undefined)
  return (
    <Dialog title={file.name} isOpen onClose={onClose}>
      <PreviewContent
        key={id}
        item={file}
        version={id}
        urlOf={async (signal) => (await client.shares.getUrl({ id }, { signal })).url}
      />
      <p className="quiet small">
        Shared by {file.owner_id} · {formatBytes(file.size_bytes)} · {kinds[kindOf(file)]}
      </p>
      <div className="row">
        <Button icon="down" isDisabled={file.in_trash} onPress={() => void onDownload(share)}>
          Download
        </Button>
        <PreviewSteps ids={shown.map((one) => one.id)} id={id} onShow={onShow} />
      </div>
    </Dialog>
  )
}
