import { useEffect, useState } from 'react'
import { Icon } from '../controls/icon.tsx'
import { useSession } from '../session/session.tsx'
import { type Item, kindOf } from './item.ts'
import { hasThumbnail, thumbnailsOf } from './thumbnails.ts'

interface Props {
  item: Item
  /** Whether it is one of a row. */
  isSmall?: boolean
}

/** A small picture of an item that is one, and an icon of the kind for others. Give it the item's id as its key. */
export function Thumbnail({ item, isSmall = false }: Props) {
  const { client } = useSession()
  const [url, setUrl] = useState<string>()
  const { id, updated_at } = item
  const isShown = hasThumbnail(item)
  useEffect(
    () => (isShown ? thumbnailsOf(client).want({ id, updated_at }, setUrl) : undefined),
    [client, isShown, id, updated_at],
  )
  // The name of the item is beside it.
  const className = isSmall ? 'thumbnail of-row' : 'thumbnail'
  if (url !== undefined && isShown) return <img className={className} src={url} alt="" draggable={false} />
  return (
    <span className={`${className} kind-${kindOf(item)}`}>
      <Icon name={kindOf(item)} size={isSmall ? 18 : 36} />
    </span>
  )
}
