import { Select } from '../controls/field.tsx'
import type { Asset } from './asset.ts'
import { ratings } from './rating.ts'

const choices = { unrated: 'Not rated', ...ratings } as const

interface Props {
  value: Asset['rating']
  onChange: (rating: Asset['rating']) => void
  /** Whether the asset has no rating yet: one that it has can't be taken back. */
  isUnrated: boolean
}

/** A choice of the rating of an asset. */
export function RatingField({ value, onChange, isUnrated }: Props) {
  if (value !== null && !isUnrated)
    return <Select label="Rating" options={ratings} value={value} onChange={onChange} />
  return (
    <Select
      label="Rating"
      options={choices}
      value={value ?? 'unrated'}
      onChange={(choice) => onChange(choice === 'unrated' ? null : choice)}
    />
  )
}
