import { ToggleButton } from 'react-aria-components'
import type { Asset } from '../assets/asset.ts'
import { Icon } from '../controls/icon.tsx'
import { useFavorite } from './use-favorites.ts'
import './favorite.css'

/** A heart that adds an asset to the user's favorites, or takes it out, with the number of users who have it among theirs. */
export function Favorite({ asset }: { asset: Asset }) {
  const { isKnown, isFavorite, count, change } = useFavorite(asset)
  return (
    <ToggleButton
      className="button quiet favorite"
      isSelected={isFavorite}
      isDisabled={!isKnown}
      onChange={(isSelected) => change(isSelected)}
    >
      <Icon name="heart" />
      <span className="hidden-text">Favorite {asset.name}: </span>
      {count}
    </ToggleButton>
  )
}
