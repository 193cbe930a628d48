import { type KeyboardEvent, useEffect, useRef } from 'react'
import { IconButton } from '../controls/button.tsx'
import { formatCount } from '../controls/format.ts'
import { Icon } from '../controls/icon.tsx'
import { Details, DetailsOfMany, NoDetails } from './details.tsx'
import type { Crumb } from './folder.ts'
import { type Item, kindOf } from './item.ts'
import type { Opened } from './list-dialogs.tsx'

interface Props {
  /** The selected item; undefined: several are, or it is not known yet. */
  item: Item | undefined
  /** Why it is not known. */
  error: unknown
  several: readonly Item[]
  path: readonly Crumb[]
  /** Whether there is room beside the list. */
  isWide: boolean
  onOpened: (opened: Opened) => void
  onClose: () => void
}

/** The details of what is selected: beside the list, or in its place where the pane is narrow. */
export function DetailsPanel({ item, error, several, path, isWide, onOpened, onClose }: Props) {
  const title = item?.name ?? (several.length > 0 ? formatCount(several.length, 'item') : 'Details')
  const content = item ? (
    <Details item={item} path={path} onOpened={onOpened} />
  ) : several.length > 0 ? (
    <DetailsOfMany items={several} />
  ) : (
    <NoDetails error={error} />
  )
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    // The focus was in the list, which is hidden now.
    if (!isWide) box.current?.focus()
  }, [isWide])
  const keyed = (event: KeyboardEvent) => {
    if (isWide || event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  return (
    <section
      ref={box}
      className={isWide ? 'details-panel' : 'details-panel alone'}
      aria-label={`Details of ${title}`}
      tabIndex={-1}
      onKeyDown={keyed}
    >
      <div className="row">
        {item && <Icon name={kindOf(item)} />}
        <h2 className="spread cut" title={title}>
          {title}
        </h2>
        <IconButton icon="close" label="Close the details" onPress={onClose} />
      </div>
      {content}
    </section>
  )
}
