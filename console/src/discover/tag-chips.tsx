import { ToggleButton } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import type { TagFilter } from './filter.ts'

interface Props {
  tags: readonly TagFilter[]
  onChange: (changed: TagFilter) => void
  onRemove: (tag: string) => void
}

/** The tags of a filter. Each can be turned into its contrary, and removed. */
export function TagChips({ tags, onChange, onRemove }: Props) {
  if (tags.length === 0) return null
  return (
    <fieldset className="chips" aria-label="Tags of the filter">
      {tags.map(({ tag, isExcluded }) => (
        <span key={tag} className={isExcluded ? 'chip excluded' : 'chip'}>
          <ToggleButton
            className="button quiet chip-not"
            aria-label={`Not ${tag}`}
            isSelected={isExcluded}
            onChange={(isSelected) => onChange({ tag, isExcluded: isSelected })}
          >
            not
          </ToggleButton>
          <span className="cut">{tag}</span>
          <IconButton icon="close" label={`Remove the tag ${tag}`} onPress={() => onRemove(tag)} />
        </span>
      ))}
    </fieldset>
  )
}
