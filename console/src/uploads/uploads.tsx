import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { formatCount } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { putItem, removeItems } from '../files/list-cache.ts'
import { useSession } from '../session/session.tsx'
import { KeptUploads } from './kept.ts'
import { type QueuedUpload, UploadQueue } from './queue.ts'

const UploadsContext = createContext<UploadQueue | undefined>(undefined)

/** Provides the upload queue of a pane, outside its screens, so that uploads continue whichever screen is shown. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const { client, user_id, changed } = useSession()
  const cache = useQueryClient()
  const [queue] = useState(() => {
    const readQuota = () => void cache.invalidateQueries({ queryKey: ['quota'] })
    return new UploadQueue(client, new KeptUploads(user_id), {
      onItem: (item) => putItem(cache, item),
      onRemoved: (file_id) => {
        removeItems(cache, [file_id])
        readQuota()
      },
      onFailed: (file_id) => {
        client
          .getFile({ id: file_id })
          .then(({ file }) => putItem(cache, file))
          .catch(() => removeItems(cache, [file_id]))
        readQuota()
      },
      onAsset: ({ name, current_version }) => {
        showNotice(`${name} has its version ${current_version}.`)
        void changed('assets')
        readQuota()
      },
      onIdle: (completedFiles) => {
        showNotice(`Uploaded ${formatCount(completedFiles, 'file')}.`)
        readQuota()
      },
    })
  })
  useEffect(() => {
    queue.open()
    return () => queue.close()
  }, [queue])
  return <UploadsContext value={queue}>{children}</UploadsContext>
}

/** The pane's upload queue, and its uploads. */
export function useUploads(): { queue: UploadQueue; uploads: readonly QueuedUpload[] } {
  const queue = useQueue()
  return { queue, uploads: useSyncExternalStore(queue.subscribe, queue.items) }
}

/** The pane's upload queue, for components that only add to it. */
export function useQueue(): UploadQueue {
  const queue = useContext(UploadsContext)
  if (!queue) throw new Error('This is shown outside of a pane.')
  return queue
}
