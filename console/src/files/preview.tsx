import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Button } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatBytes, formatTime } from '../controls/format.ts'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import { useActions } from './actions.ts'
import { NoDetails } from './details.tsx'
import { hasPreview, type Item, isReady, kindOf, kinds } from './item.ts'
import { PreviewContent } from './preview-content.tsx'
import { PreviewSteps } from './preview-steps.tsx'
import { useItem } from './use-item.ts'

interface Props {
  /** The id of the file. */
  id: string
  /** The items among which the next and the previous one are. */
  list: { items: readonly Item[]; isPending: boolean }
  onShow: (id: string) => void
  onClose: () => void
}

/** Shows the content of a picture, sound, video or text, and leads to the next and the previous file that has one. */
export function PreviewOf({ id, list, onShow, onClose }: Props) {
  const { item, error } = useItem(id, list)
  const { client } = useSession()
  const { download } = useActions()
  const files = useMemo(() => list.items.filter(hasPreview), [list.items])
  return (
    <Dialog title={item?.name ?? 'Preview'} isOpen onClose={onClose}>
      {item ? (
        isReady(item) ? (
          <PreviewContent
            key={id}
            item={item}
            version={item.updated_at}
            urlOf={async (signal) => (await client.files.getUrl({ id }, { signal })).url}
          />
        ) : (
          <WhyNot item={item} />
        )
      ) : (
        <NoDetails error={error} />
      )}
      {item && (
        <p className="quiet small">
          {formatBytes(item.size_bytes)} · {kinds[kindOf(item)]} · modified {formatTime(item.updated_at)}
        </p>
      )}
      <div className="row">
        {item && isReady(item) && (
          <Button icon="down" onPress={() => void download(item)}>
            Download
          </Button>
        )}
        <PreviewSteps ids={files.map((file) => file.id)} id={id} onShow={onShow} />
      </div>
    </Dialog>
  )
}

/** Why a file has no content. */
function WhyNot({ item }: { item: Item }) {
  const { processing_state } = item
  if (processing_state === 'failed') return <WhyFailed item={item} />
  return (
    <p className="quiet">
      {processing_state === 'processing'
        ? 'Its content has arrived, and is checked before it can be used.'
        : 'Its content has not arrived yet.'}
    </p>
  )
}

/** Why the content of a file was rejected. The upload has the reason, as long as the service keeps it. */
function WhyFailed({ item }: { item: Item }) {
  const { client } = useSession()
  const upload_id = useQueue().rejectedFor(item.id)
  const upload = useQuery({
    queryKey: ['upload', upload_id],
    queryFn: ({ signal }) => client.uploads.get({ id: upload_id ?? '' }, { signal }),
    enabled: upload_id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (upload.isLoading) return <Waiting rows={1} />
  if (upload.isError && !isRefusal(upload.error, 'UPLOAD_NOT_FOUND'))
    return <ErrorNote error={upload.error} onRetry={() => void upload.refetch()} />
  const reason = upload.data && 'reason' in upload.data ? upload.data.reason : undefined
  return (
    <p role="alert">
      {reason === undefined
        ? 'Its content was refused: it was not what had been declared, or it was rejected. For some days, the browser that uploaded it can show the reason.'
        : `Its content was rejected: ${reason}`}
    </p>
  )
}
