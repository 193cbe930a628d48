import { useQuery } from '@tanstack/react-query'
import { formatBytes } from '../controls/format.ts'
import { JsonView } from '../controls/json-view.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { formatJson } from '../json.ts'
import { type Item, previewKind } from './item.ts'

/** How many bytes of a text are shown. */
const TEXT_BYTES = 64 * 1_024

interface Props {
  item: Pick<Item, 'id' | 'name' | 'asset_type' | 'mime_type' | 'size_bytes'>
  /** Differs once the content does. */
  version: string | number
  /** Asks for the URL of the content. */
  urlOf: (signal: AbortSignal) => Promise<string>
}

/** The content of a picture, sound, video or text. */
export function PreviewContent({ item, version, urlOf }: Props) {
  const kind = previewKind(item)
  const content = useQuery({
    queryKey: ['preview', item.id, version],
    queryFn: async ({ signal }) => {
      const url = await urlOf(signal)
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
  if (kind === undefined) return <p className="quiet">This type has no preview. Download it to open it.</p>
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
