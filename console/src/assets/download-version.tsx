import { useMutation } from '@tanstack/react-query'
import { Button as AriaButton } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { download } from '../controls/download.ts'
import { formatBytes } from '../controls/format.ts'
import { showError } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import type { Content } from './releases/release.ts'

interface Props {
  /** The asset's. */
  id: string
  version: number
  /** Whether the button shows its text. */
  isNamed?: boolean
  /** One of several contents of the version. The button shows its size. */
  content?: Content
}

/** Downloads content of a version, under the asset's name. */
export function DownloadVersion({ id, version, isNamed, content }: Props) {
  const { client } = useSession()
  const get = useMutation({
    mutationFn: () =>
      client.assets.getUrl({
        id,
        version,
        ...(typeof content?.platform === 'string' && { platform: content.platform }),
      }),
    onSuccess: download,
    onError: showError,
  })
  const props = { icon: 'down' as const, onPress: () => get.mutate(), isPending: get.isPending }
  if (isNamed) return <Button {...props}>Download</Button>
  if (content) {
    const { platform, size_bytes } = content
    const size = formatBytes(size_bytes)
    const whose = platform === null ? '' : ` for ${platform}`
    return (
      <AriaButton
        className="release-download"
        aria-label={`Download version ${version}${whose}: ${size}`}
        onPress={props.onPress}
        isPending={props.isPending}
      >
        {size}
      </AriaButton>
    )
  }
  return <IconButton {...props} label={`Download version ${version}`} />
}
