import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import type { Item } from './item.ts'

interface Listed {
  items: readonly Item[]
  isPending: boolean
}

/** An item by its id, undefined until it is known: that of the list, or else one that is read from the service. */
export function useItem(id: string | undefined, { items, isPending }: Listed) {
  const { client } = useSession()
  const listed = id === undefined ? undefined : items.find((item) => item.id === id)
  const read = useQuery({
    queryKey: ['item', id],
    queryFn: ({ signal }) => client.files.get({ id: id ?? '' }, { signal }),
    enabled: id !== undefined && !listed && !isPending,
  })
  return { item: listed ?? read.data?.file, error: listed ? null : read.error }
}
