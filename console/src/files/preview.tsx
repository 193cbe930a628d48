import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { formatBytes, formatTime } from '../controls/format.ts'
import { JsonView } from '../controls/json-view.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { formatJson } from '../json.ts'
import { isRefusal, useSession } from '../session/session.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import { useActions } from './actions.ts'
import { NoDetails } from './details.tsx'
import { hasPreview, type Item, isReady, previewKind } from './item.ts'
import { useItem } from './use-item.ts'
import { useLatest } from './use-latest.ts'

/** How many bytes of a text are shown. */
const TEXT_BYTES = 64 * 1_024

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
  const { download } = useActions()
  const files = useMemo(() => list.items.filter(hasPreview), [list.items])
  const place = files.findIndex((file) => file.id === id)
  const show = (file: Item | undefined) => file && onShow(file.id)
  const keyed = useLatest((event: KeyboardEvent) => {
    const { key, target, defaultPrevented } = event
    // A player uses the arrows itself.
    if (place === -1 || defaultPrevented || target instanceof HTMLMediaElement) return
    if (key === 'ArrowLeft') show(files[place - 1])
    if (key === 'ArrowRight') show(files[place + 1])
  })
  useEffect(() => {
    document.addEventListener('keydown', keyed)
    return () => document.removeEventListener('keydown', keyed)
  }, [keyed])
  return (
    <Dialog title={item?.name ?? 'Preview'} isOpen onClose={onClose}>
      {item ? (
        isReady(item) ? (
          <Content key={id} item={item} />
        ) : (
          <WhyNot item={item} />
        )
      ) : (
        <NoDetails error={error} />
      )}
      {item && (
        <p className="quiet small">
          {formatBytes(item.size_bytes)} · {item.mime_type} · created {formatTime(item.created_at)}
        </p>
      )}
      <div className="row">
        {item && isReady(item) && (
          <Button icon="down" onPress={() => void download(item)}>
            Download
          </Button>
        )}
        {place !== -1 && files.length > 1 && (
          <div className="row preview-steps">
            <span className="quiet small">
              {(place + 1).toLocaleString('en')} of {files.length.toLocaleString('en')}
            </span>
            <IconButton
              icon="back"
              look="plain"
              label="Previous"
              isDisabled={place === 0}
              onPress={() => show(files[place - 1])}
            />
            <IconButton
              icon="chevron"
              look="plain"
              label="Next"
              isDisabled={place === files.length - 1}
              onPress={() => show(files[place + 1])}
            />
          </div>
        )}
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

function Content({ item }: { item: Item }) {
  const { client } = useSession()
  const kind = previewKind(item)
  const content = useQuery({
    queryKey: ['preview', item.id, item.updated_at],
    queryFn: async ({ signal }) => {
      const { url } = await client.files.getUrl({ id: item.id }, { signal })
      return {
        url,
        text: kind === 'text' || kind === 'json' ? await beginningOf(url, item.size_bytes, signal) : '',
      }
    },
    enabled: kind !== undefined,
    // The URL expires after minutes.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (kind === undefined) return <p className="quiet">This type has no preview.</p>
  if (content.isPending) return <Waiting rows={4} />
  if (content.isError) return <ErrorNote error={content.error} onRetry={() => void content.refetch()} />
  const { url, text } = content.data
  if (kind === 'picture') return <img className="preview" src={url} alt={item.name} />
  // biome-ignore lint/a11y/useMediaCaption: there are no captions of what users upload
  if (kind === 'sound') return <audio className="preview" src={url} controls aria-label={item.name} />
  // biome-ignore lint/a11y/useMediaCaption: there are no captions of what users upload
  if (kind === 'video') return <video className="preview" src={url} controls aria-label={item.name} />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="preview-text" tabIndex={0} aria-label={`Text of ${item.name}`}>
        {kind === 'json' ? <JsonView text={formatJson(text) ?? text} /> : <pre>{text}</pre>}
      </section>
      {item.size_bytes > TEXT_BYTES && <p className="quiet small">The first {formatBytes(TEXT_BYTES)}.</p>}
    </>
  )
}

async function beginningOf(url: string, size_bytes: number, signal: AbortSignal): Promise<string> {
  if (size_bytes === 0) return ''
  const response = await fetch(url, { headers: { Range: `bytes=0-${TEXT_BYTES - 1}` }, signal })
  if (!response.ok) throw new Error(`Storage answered ${response.status}.`)
  return response.text()
}
