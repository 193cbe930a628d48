import { ToggleButton } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import type { TagFilter } from './filter.ts'

interface Props {
  tags: readonly TagFilter[]
  /** The user whose assets are shown; empty: all users. */
  owner: string
  onChange: (changed: TagFilter) => void
  onRemove: (tag: string) => void
  onRemoveOwner: () => void
}

/** The owner and the tags of a filter. Each can be removed, and a tag turned into its contrary. */
export function FilterChips({ tags, owner, onChange, onRemove, onRemoveOwner }: Props) {
  if (tags.length === 0 && owner === '') return null
  return (
    <fieldset className="chips" aria-label="Tags of the filter">
      {owner !== '' && (
        <span className="chip">
          <span className="cut chip-owner">of {owner}</span>
          <IconButton
            icon="close"
            label={`Show the assets of all, and not of ${owner} only`}
            onPress={onRemoveOwner}
          />
        </span>
      )}
      {tags.map(({ tag, isExcluded }) => (
        <span key={tag} className={isExcluded ? 'chip excluded' : 'chip'}>
          <ToggleButton
            className="button quiet chip-not"
            aria-label={`${isExcluded ? 'not' : 'exclude'} ${tag}`}
            isSelected={isExcluded}
            onChange={(isSelected) => onChange({ tag, isExcluded: isSelected })}
          >
            {isExcluded ? 'not' : 'exclude'}
          </ToggleButton>
          <span className="cut">{tag}</span>
          <IconButton icon="close" label={`Remove the tag ${tag}`} onPress={() => onRemove(tag)} />
        </span>
      ))}
    </fieldset>
  )
}
