import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { IconButton } from './button.tsx'
import { ErrorNote } from './status.tsx'

type Notice = { text: string } | { error: unknown }

const notices = new ToastQueue<Notice>({ maxVisibleToasts: 1 })

/** Shows a notice, for some seconds. */
export function showNotice(text: string): void {
  notices.add({ text }, { timeout: 5_000 })
}

/** Shows an error, until the user closes the notice. */
export function showError(error: unknown): void {
  notices.add({ error })
}

/** The region in which notices appear. Render it once in the page. */
export function Notices() {
  return (
    <ToastRegion queue={notices} className="notices">
      {({ toast }) => (
        <Toast toast={toast} className="notice">
          <ToastContent className="spread">
            {'text' in toast.content ? (
              <Text slot="title">{toast.content.text}</Text>
            ) : (
              <Text slot="title" elementType="div">
                <ErrorNote error={toast.content.error} isAnnounced />
              </Text>
            )}
          </ToastContent>
          <IconButton slot="close" icon="close" label="Close the notice" />
        </Toast>
      )}
    </ToastRegion>
  )
}
