import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { previewFrom } from '../assets/make-preview.ts'
import { formatCount } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import type { Item } from '../files/item.ts'
import { putItem, removeItems } from '../files/list-cache.ts'
import { onReturn } from '../session/reachability.ts'
import { useSession } from '../session/session.tsx'
import { usePane } from '../shell/place.tsx'
import { ClashDialog } from './clash-dialog.tsx'
import { KeptUploads } from './kept.ts'
import { type Clash, type Decision, MOST_COMPARED } from './plan.ts'
import { type QueuedUpload, UploadQueue } from './queue.ts'

/** A question about names that stand twice, and the answer's way back. */
interface Asked {
  clashes: readonly Clash[]
  answer: (decisions: readonly Decision[] | undefined) => void
}

const UploadsContext = createContext<UploadQueue | undefined>(undefined)

/** Provides the upload queue of a pane, outside its screens, so that uploads continue whichever screen is shown. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const { client, user_id, changed } = useSession()
  const cache = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  const showUploaded = useShowUploaded()
  const [queue] = useState(() => {
    /** A preview is a gift: an upload is whole without it. */
    const setPreview = (id: string, content: Blob) =>
      client.assets.setPreview({ id, content, mime_type: content.type }).then(
        () => true,
        () => false,
      )
    const readQuota = () => void cache.invalidateQueries({ queryKey: ['quota'] })
    return new UploadQueue(client, new KeptUploads(user_id), {
      onItem: (item) => putItem(cache, item),
      onRemoved: (file_id) => {
        removeItems(cache, [file_id])
        readQuota()
      },
      onFailed: (file_id) => {
        client.files
          .get({ id: file_id })
          .then(({ file }) => putItem(cache, file))
          .catch(() => removeItems(cache, [file_id]))
        readQuota()
      },
      onVersion: async ({ id, name, current_version, preview_url }, content) => {
        const version = `${name} has its version ${current_version}`
        const picture = content && preview_url === null ? await previewFrom(content) : undefined
        const isSet = picture && (await setPreview(id, picture))
        showNotice(isSet ? `${version}, and a preview made of it.` : `${version}.`)
        void changed('assets')
        readQuota()
      },
      onVariant: ({ name }, version) => {
        showNotice(`Version ${version} of ${name} has content for one more platform.`)
        void changed('assets')
        readQuota()
      },
      onIdle: (uploaded, replaced) => {
        const [file, ...others] = [...uploaded, ...replaced]
        if (file && others.length === 0) showUploaded(file)
        const [first] = replaced
        const what = replaced.length === 1 && first ? first.name : formatCount(replaced.length, 'file')
        const told = [
          ...(uploaded.length > 0 ? [`Uploaded ${formatCount(uploaded.length, 'file')}.`] : []),
          ...(replaced.length > 0 ? [`Replaced the content of ${what}.`] : []),
        ]
        showNotice(told.join(' '))
        readQuota()
      },
      ask: (clashes) =>
        new Promise((resolve) => {
          const answer: Asked['answer'] = (decisions) => {
            setAsked(undefined)
            resolve(decisions)
          }
          setAsked({ clashes, answer })
        }),
      onCut: () =>
        showNotice(
          `A folder here has more than ${formatCount(MOST_COMPARED, 'item')}: names beyond are not compared.`,
        ),
    })
  })
  useEffect(() => {
    queue.open()
    const stop = onReturn(() => queue.resumeUnanswered())
    return () => {
      stop()
      queue.close()
    }
  }, [queue])
  return (
    <UploadsContext value={queue}>
      {children}
      {asked && <ClashDialog clashes={asked.clashes} onDecided={asked.answer} />}
    </UploadsContext>
  )
}

/** Returns a function that selects a file in its folder, if the pane shows that and nothing is selected. */
function useShowUploaded(): (file: Pick<Item, 'id' | 'parent_id'>) => void {
  const pane = usePane()
  const latest = useRef(pane)
  useEffect(() => {
    latest.current = pane
  }, [pane])
  return ({ id, parent_id }) => {
    const { place, replace } = latest.current
    const [folder = null] = place.path
    if (place.screen !== 'files' || folder !== parent_id || place.query.selected !== undefined) return
    replace({ ...place, query: { ...place.query, selected: id } })
  }
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
