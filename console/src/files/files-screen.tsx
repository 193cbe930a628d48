import { useInfiniteQuery } from '@tanstack/react-query'
import { Empty, ErrorNote, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'

export function FilesScreen() {
  const { client, user_id } = useSession()
  const list = useInfiniteQuery({
    queryKey: ['files', user_id, null],
    queryFn: ({ pageParam, signal }) =>
      client.listFiles({ limit: 100, ...(pageParam && { cursor: pageParam }) }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  if (list.isPending) return <Waiting />
  if (list.isError) return <ErrorNote error={list.error} onRetry={() => void list.refetch()} />
  const files = list.data.pages.flatMap((page) => page.files)
  if (files.length === 0)
    return (
      <Empty icon="folder" title="Nothing here yet">
        Drop files here.
      </Empty>
    )
  return (
    <ul>
      {files.map((file) => (
        <li key={file.id}>{file.name}</li>
      ))}
    </ul>
  )
}
