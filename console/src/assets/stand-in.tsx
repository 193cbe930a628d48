import { Icon } from '../controls/icon.tsx'
import { type Asset, typeIcons } from './asset.ts'

/** A drawing in place of a picture: a landscape with the icon of the asset's type. Its colours follow from the asset's id. */
export function StandIn({ asset: { id, type }, place }: { asset: Asset; place: 'card' | 'page' }) {
  const number = numberOf(id)
  // From green over blue and violet to red: between red and green, colours this dark are muddy.
  const hue = 150 + ((number * 137) % 240)
  const sun = `radial-gradient(circle at ${25 + (number % 6) * 10}% 34%, oklch(93% 0.07 85) 0 1.125rem, transparent 1.1875rem)`
  const sky = `linear-gradient(oklch(46% 0.09 ${hue}), oklch(76% 0.08 ${hue + 40}))`
  return (
    <span className={`stand-in in-${place}`}>
      <span className="stand-in-sky" style={{ background: `${sun}, ${sky}` }} />
      <svg
        className={number % 2 === 1 ? 'mirrored' : undefined}
        viewBox="0 0 320 180"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d="M0 112q50-34 104-6t108-18 108 14v78H0Z" fill={`oklch(58% 0.08 ${hue + 20})`} />
        <path d="M0 138q64-30 128-2t110-8 82 0v52H0Z" fill={`oklch(44% 0.07 ${hue})`} />
        <path d="M0 160q80-18 150-2t170-8v30H0Z" fill={`oklch(32% 0.05 ${hue})`} />
      </svg>
      <span className="stand-in-type">
        <Icon name={typeIcons[type]} size={place === 'card' ? 18 : 24} />
      </span>
    </span>
  )
}

/** A number that is always the same for an id. */
function numberOf(id: string): number {
  let number = 0
  for (const character of id) number = (number * 31 + character.charCodeAt(0)) % 65_521
  return number
}
