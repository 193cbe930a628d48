import { useMutation } from '@tanstack/react-query'
import { Button, IconButton } from '../controls/button.tsx'
import { saveBytes } from '../controls/download.ts'
import { showError } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'

/** The endings of the types that games use. Others have none. */
const endings: Readonly<Record<string, string>> = {
  'application/json': '.json',
  'text/plain': '.txt',
  'application/octet-stream': '.bin',
}

interface Props {
  slot: string
  revision: number
  /** Whether the button shows its text. */
  isNamed?: boolean
}

/** Downloads the bytes of a revision, as a file that is named by the slot and the revision. */
export function DownloadSave({ slot, revision, isNamed }: Props) {
  const { client } = useSession()
  const get = useMutation({
    mutationFn: () => client.saves.read({ slot, revision }),
    onSuccess: ({ bytes, mime_type }) =>
      saveBytes(bytes, mime_type, `${slot}-${revision}${endings[mime_type] ?? ''}`),
    onError: showError,
  })
  const props = { icon: 'down' as const, onPress: () => get.mutate(), isPending: get.isPending }
  if (isNamed) return <Button {...props}>Download</Button>
  return <IconButton {...props} label={`Download revision ${revision} of ${slot}`} />
}
