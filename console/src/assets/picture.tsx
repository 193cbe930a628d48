import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../controls/icon.tsx'
import { ASSETS, type Asset, typeIcons } from './asset.ts'
import { StandIn } from './stand-in.tsx'

interface Props {
  asset: Asset
  place: 'row' | 'card' | 'page'
}

/**
 * The preview of an asset. Without one, or when it can't be loaded, a drawing of the asset's type. A signature that has expired
 * has the lists read again, which answer a new one.
 */
export function Picture({ asset, place }: Props) {
  const { preview_url, preview_width, preview_height, name, type } = asset
  const cache = useQueryClient()
  const [broken, setBroken] = useState<string>()
  if (preview_url === null || preview_url === broken)
    return place === 'row' ? (
      <span className="asset-icon">
        <Icon name={typeIcons[type]} size={18} />
      </span>
    ) : (
      <StandIn asset={asset} place={place} />
    )
  const picture = (
    <img
      className={`asset-picture in-${place}`}
      src={preview_url}
      width={preview_width ?? undefined}
      height={preview_height ?? undefined}
      alt={`Preview of ${name}`}
      loading="lazy"
      onError={() => {
        setBroken(preview_url)
        if (hasExpired(preview_url))
          void cache.invalidateQueries({ queryKey: [ASSETS] }, { cancelRefetch: false })
      }}
    />
  )
  if (place !== 'page') return picture
  return (
    <span className="asset-hero">
      <img className="asset-hero-ground" src={preview_url} alt="" />
      {picture}
    </span>
  )
}

/** Whether the signature of a URL has ended. A URL without one does not expire. */
function hasExpired(url: string): boolean {
  const expires = new URL(url, location.origin).searchParams.get('expires')
  return expires !== null && Number(expires) * 1_000 < Date.now()
}
