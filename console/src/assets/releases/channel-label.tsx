import { useDrag } from 'react-aria-components'
import { Icon } from '../../controls/icon.tsx'
import { CHANNEL, LIVE } from './release.ts'

interface Props {
  channel: string
  /** Called when its drag begins, and with undefined when that ends. */
  onDrag: (channel: string | undefined) => void
}

/** The label of a channel on the row of its version. It is dragged to another row, by pointer, by touch and by keys. */
export function ChannelLabel({ channel, onDrag }: Props) {
  const { dragProps, isDragging } = useDrag({
    getItems: () => [{ [CHANNEL]: channel, 'text/plain': channel }],
    getAllowedDropOperations: () => ['move'],
    onDragStart: () => onDrag(channel),
    onDragEnd: () => onDrag(undefined),
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: Firefox begins no drag on a button
    <span
      {...dragProps}
      role="button"
      tabIndex={0}
      className={channel === LIVE ? 'channel live' : 'channel'}
      title="Drag it to another version"
      data-dragging={isDragging || undefined}
    >
      <Icon name="grip" size={12} />
      {channel}
    </span>
  )
}
