import { useState } from 'react'
import { ChoiceMenu, type MenuChoice } from '../controls/choice-menu.tsx'
import { copyText } from '../controls/copy.ts'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import type { Asset } from './asset.ts'

interface Props {
  asset: Asset
  choices: readonly MenuChoice[]
  look?: 'plain' | 'quiet'
}

/** The button with the menu of an asset: these choices, and those that every asset has. */
export function AssetMenu({ asset, choices, look }: Props) {
  const { go } = usePlace()
  const { user_id } = useSession()
  const [isReporting, setReporting] = useState(false)
  const { id, name, owner_id } = asset
  const all: MenuChoice[] = [
    ...choices.filter(({ isDanger }) => !isDanger),
    {
      icon: 'globe',
      text: `All public assets by ${owner_id}`,
      onAction: () => go([], { owner: owner_id }, 'discover'),
    },
    {
      icon: 'copy',
      text: 'Copy the id',
      onAction: () => void copyText(id, `The id of ${name} is copied.`),
    },
    ...(owner_id === user_id
      ? []
      : [{ icon: 'flag' as const, text: 'Report', onAction: () => setReporting(true) }]),
    ...choices.filter(({ isDanger }) => isDanger),
  ]
  return (
    <>
      <ChoiceMenu label={`Actions for ${name}`} choices={all} {...(look && { look })} />
      {isReporting && (
        <ReportDialog target={{ type: 'asset', id }} name={name} onClose={() => setReporting(false)} />
      )}
    </>
  )
}
