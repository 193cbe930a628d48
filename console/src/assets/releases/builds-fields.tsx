import { TextField } from '../../controls/field.tsx'
import type { Version } from '../asset.ts'

const MOST = 2_147_483_647

/** The builds that a version is for, as they are typed. An empty text is no bound. */
export interface Builds {
  from: string
  to: string
}

export const anyBuild: Builds = { from: '', to: '' }

interface Props {
  value: Builds
  onChange: (value: Builds) => void
}

/** Two fields for the builds of the game that a version is for. */
export function BuildsFields({ value, onChange }: Props) {
  const { from, to } = value
  const problem = (text: string) =>
    boundOf(text) === undefined ? 'A build is a whole number.' : rangeOf(value) ? null : 'From is above to.'
  return (
    <div className="builds-fields">
      <TextField
        label="From build"
        placeholder="any"
        inputMode="numeric"
        value={from}
        onChange={(text) => onChange({ from: text, to })}
        validate={problem}
      />
      <TextField
        label="To build"
        placeholder="any"
        inputMode="numeric"
        value={to}
        onChange={(text) => onChange({ from, to: text })}
        validate={problem}
      />
    </div>
  )
}

/** The number of a build; null for an empty text, undefined when it is none. */
export function boundOf(text: string): number | null | undefined {
  if (text.trim() === '') return null
  return /^\d{1,10}$/.test(text.trim()) && Number(text) <= MOST ? Number(text) : undefined
}

/** The range that is typed; undefined when it is none. */
export function rangeOf({ from, to }: Builds): Pick<Version, 'min_build' | 'max_build'> | undefined {
  const [min_build, max_build] = [boundOf(from), boundOf(to)]
  if (min_build === undefined || max_build === undefined) return undefined
  return min_build !== null && max_build !== null && min_build > max_build
    ? undefined
    : { min_build, max_build }
}
