import { Button } from 'react-aria-components'
import type { AssetWithPage } from './asset.ts'

interface Props {
  asset: AssetWithPage
  /** Called with a tag that was pressed. Without it, tags can't be pressed. */
  onTag: ((tag: string) => void) | undefined
}

/** What an asset says of itself: its tags, its description, and the game's metadata. All of it is text. */
export function About({ asset: { tags, description, metadata }, onTag }: Props) {
  return (
    <>
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
      {description !== '' && <p className="asset-description">{description}</p>}
      {Object.keys(metadata).length > 0 && (
        <details>
          <summary className="quiet">Metadata</summary>
          <pre className="asset-description">{JSON.stringify(metadata, null, 2)}</pre>
        </details>
      )}
    </>
  )
}
