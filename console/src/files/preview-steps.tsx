import { useEffect } from 'react'
import { IconButton } from '../controls/button.tsx'
import { useLatest } from './use-latest.ts'

interface Props {
  /** The ids of the files that have a preview, in the order of their list. */
  ids: readonly string[]
  /** The id of the file that is shown. */
  id: string
  onShow: (id: string) => void
}

/** Leads from a preview to the previous and to the next one, also with the arrow keys. */
export function PreviewSteps({ ids, id, onShow }: Props) {
  const place = ids.indexOf(id)
  const [previous, next] = [ids[place - 1], ids[place + 1]]
  const show = (one: string | undefined) => one !== undefined && onShow(one)
  const keyed = useLatest((event: KeyboardEvent) => {
    const { key, target, defaultPrevented } = event
    // A player uses the arrows itself.
    if (place === -1 || defaultPrevented || target instanceof HTMLMediaElement) return
    if (key === 'ArrowLeft') show(previous)
    if (key === 'ArrowRight') show(next)
  })
  useEffect(() => {
    document.addEventListener('keydown', keyed)
    return () => document.removeEventListener('keydown', keyed)
  }, [keyed])
  if (place === -1 || ids.length === 1) return null
  return (
    <div className="row preview-steps">
      <span className="quiet small">
        {(place + 1).toLocaleString('en')} of {ids.length.toLocaleString('en')}
      </span>
      <IconButton
        icon="back"
        look="plain"
        label="Previous"
        isDisabled={previous === undefined}
        onPress={() => show(previous)}
      />
      <IconButton
        icon="chevron"
        look="plain"
        label="Next"
        isDisabled={next === undefined}
        onPress={() => show(next)}
      />
    </div>
  )
}
