import { useState } from 'react'
import { showError } from '../controls/notice.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import type { Asset } from './asset.ts'
import { fieldsOf, forAll } from './releases/version-fields.tsx'

/** Uploads the next versions of an asset. Each takes the notes, the platform and the builds that have been written by then. */
export function useNewVersion({ id, name }: Asset) {
  const queue = useQueue()
  const [notes, setNotes] = useState('')
  const [typed, setTyped] = useState(forAll)
  const fields = fieldsOf(typed)
  const upload = (content: File) => {
    if (!fields)
      return showError(new Error('The platform or the builds of the next version are wrong: see the form.'))
    queue.addVersion(content, name, {
      kind: 'version',
      asset_id: id,
      ...(notes !== '' && { notes }),
      ...fields,
    })
    setNotes('')
    setTyped(forAll)
  }
  return { notes, setNotes, typed, setTyped, isValid: fields !== undefined, upload }
}

export type NewVersion = ReturnType<typeof useNewVersion>
