import { useMutation } from '@tanstack/react-query'
import { Button, IconButton } from '../controls/button.tsx'
import { download } from '../controls/download.ts'
import { showError } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'

interface Props {
  /** The asset's. */
  id: string
  version: number
  /** Whether the button shows its text. */
  isNamed?: boolean
}

/** Downloads the content of a version, under the asset's name. */
export function DownloadVersion({ id, version, isNamed }: Props) {
  const { client } = useSession()
  const get = useMutation({
    mutationFn: () => client.assets.getUrl({ id, version }),
    onSuccess: download,
    onError: showError,
  })
  const props = { icon: 'down' as const, onPress: () => get.mutate(), isPending: get.isPending }
  if (isNamed) return <Button {...props}>Download</Button>
  return <IconButton {...props} label={`Download version ${version}`} />
}
