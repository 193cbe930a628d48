import { ToggleButton } from 'react-aria-components'
import { IconButton } from '../controls/button.tsx'
import { Icon } from '../controls/icon.tsx'
import { ReportButton } from '../reports/report-button.tsx'
import { useSession } from '../session/session.tsx'
import type { TagFilter } from './filter.ts'

interface Props {
  tags: readonly TagFilter[]
  /** The user whose assets are shown; empty: all users. */
  owner: string
  onChange: (changed: TagFilter) => void
  onRemove: (tag: string) => void
  onRemoveOwner: () => void
}

/** The owner and the tags of a filter. Each can be removed, and a tag be excluded. */
export function FilterChips({ tags, owner, onChange, onRemove, onRemoveOwner }: Props) {
  const { user_id } = useSession()
  if (tags.length === 0 && owner === '') return null
  return (
    <fieldset className="chips" aria-label="Tags of the filter">
      {owner !== '' && (
        <span className="chip">
          <span className="cut">by {owner}</span>
          <IconButton
            icon="close"
            label={`Show the assets of all, and not of ${owner} only`}
            onPress={onRemoveOwner}
          />
        </span>
      )}
      {owner !== '' && owner !== user_id && (
        <ReportButton target={{ type: 'user', id: owner }} name={owner} />
      )}
      {tags.map(({ tag, isExcluded }) => (
        <span key={tag} className={isExcluded ? 'chip excluded' : 'chip'}>
          <span className="cut">
            {isExcluded && 'not '}
            <span className="chip-tag">{tag}</span>
          </span>
          <ToggleButton
            className="button quiet square chip-exclude"
            aria-label={`Exclude ${tag}`}
            isSelected={isExcluded}
            onChange={(isSelected) => onChange({ tag, isExcluded: isSelected })}
          >
            <Icon name="ban" />
          </ToggleButton>
          <IconButton icon="close" label={`Remove the tag ${tag}`} onPress={() => onRemove(tag)} />
        </span>
      ))}
    </fieldset>
  )
}
