import type { ReactNode } from 'react'
import { Icon } from '../controls/icon.tsx'

interface Props {
  title: string
  /** Badges behind the title. */
  badges?: ReactNode
  /** What is known of it. */
  facts: readonly string[]
}

/** The text of a row with a save or a revision. */
export function SaveRow({ title, badges, facts }: Props) {
  return (
    <>
      <span className="asset-icon">
        <Icon name="save" size={18} />
      </span>
      <span className="spread">
        <span className="row">
          <span className="cut asset-name">{title}</span>
          {badges}
        </span>
        {facts.map((fact) => (
          <span key={fact} className="quiet small save-facts-line">
            {fact}
          </span>
        ))}
      </span>
    </>
  )
}
