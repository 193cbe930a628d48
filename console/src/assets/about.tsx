import { Button } from 'react-aria-components'
import type { AssetWithPage } from './asset.ts'

interface Props {
  asset: AssetWithPage
  /** Called with a tag that was pressed. Without it, tags can't be pressed. */
  onTag: ((tag: string) => void) | undefined
}

/** What an asset says of itself: its description and its tags. Both are text. */
export function About({ asset: { tags, description }, onTag }: Props) {
  return (
    <>
      {description !== '' && <p className="asset-description">{description}</p>}
      {tags.length > 0 && (
        <ul className="tags plain-tags" aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag}>
              {onTag ? (
                <Button className="tag" aria-label={`Tag ${tag}`} onPress={() => onTag(tag)}>
                  {tag}
                </Button>
              ) : (
                <span className="tag">{tag}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
