import type { VersionFields } from '../../uploads/target.ts'
import { anyBuild, type Builds, BuildsFields, rangeOf } from './builds-fields.tsx'
import { PlatformField, problemOfPlatform } from './platform-field.tsx'

/** The platform and the builds that the content of a new version is for, as they are typed. */
export interface TypedFields {
  /** Empty: for all. */
  platform: string
  builds: Builds
}

export const forAll: TypedFields = { platform: '', builds: anyBuild }

/** What an upload says of them; undefined when they are wrong. */
export function fieldsOf({ platform, builds }: TypedFields): VersionFields | undefined {
  const range = rangeOf(builds)
  if (range === undefined || (platform !== '' && problemOfPlatform(platform) !== null)) return undefined
  return { ...(platform !== '' && { platform }), ...range }
}

interface Props {
  value: TypedFields
  onChange: (value: TypedFields) => void
}

/**
 * Fields for the platform and the builds of a new version, which most versions leave empty: they are folded at first. With a
 * wrong one they stay open, because nothing can be uploaded then, and the field says why.
 */
export function VersionFieldset({ value, onChange }: Props) {
  const isWrong = fieldsOf(value) === undefined
  return (
    <details className="version-fields">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary takes presses and keys by itself */}
      <summary onClick={(event) => isWrong && event.preventDefault()}>Platform and builds</summary>
      <div className="version-fields-row">
        <PlatformField
          value={value.platform}
          onChange={(platform) => onChange({ ...value, platform })}
          hint="Empty: the content is for all. Content for further platforms is added to the version afterwards."
        />
        <BuildsFields value={value.builds} onChange={(builds) => onChange({ ...value, builds })} />
      </div>
    </details>
  )
}
