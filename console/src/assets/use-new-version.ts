import { useState } from 'react'
import { showError } from '../controls/notice.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import type { Asset } from './asset.ts'
import { anyBuild, rangeOf } from './releases/builds-fields.tsx'
import { problemOfPlatform } from './releases/platform-field.tsx'

/** Uploads the next versions of an asset. Each takes the notes, the platform and the builds that have been written by then. */
export function useNewVersion({ id, name }: Asset) {
  const queue = useQueue()
  const [notes, setNotes] = useState('')
  const [platform, setPlatform] = useState('')
  const [builds, setBuilds] = useState(anyBuild)
  const range = rangeOf(builds)
  const isValid = range !== undefined && (platform === '' || problemOfPlatform(platform) === null)
  const upload = (content: File) => {
    if (!isValid)
      return showError(new Error('The platform or the builds of the next version are wrong: see the form.'))
    queue.addVersion(content, name, {
      kind: 'version',
      asset_id: id,
      ...(notes !== '' && { notes }),
      ...(platform !== '' && { platform }),
      ...range,
    })
    setNotes('')
    setPlatform('')
    setBuilds(anyBuild)
  }
  return { notes, setNotes, platform, setPlatform, builds, setBuilds, isValid, upload }
}

export type NewVersion = ReturnType<typeof useNewVersion>
