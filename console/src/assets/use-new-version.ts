import { useState } from 'react'
import { useQueue } from '../uploads/uploads.tsx'
import type { Asset } from './asset.ts'

/** Uploads the next versions of an asset. Each takes the notes that have been written by then. */
export function useNewVersion({ id, name }: Asset) {
  const queue = useQueue()
  const [notes, setNotes] = useState('')
  const upload = (content: File) => {
    queue.addVersion(content, name, { kind: 'version', asset_id: id, ...(notes !== '' && { notes }) })
    setNotes('')
  }
  return { notes, setNotes, upload }
}

export type NewVersion = ReturnType<typeof useNewVersion>
