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

/** Tells that something has been done. */
export function tell(text: string): void {
  notices.add({ text }, { timeout: 5_000 })
}

/** Tells why something was not done. It stays until it is closed. */
export function tellError(error: unknown): void {
  notices.add({ error })
}

/** Where notices appear: once in the page. */
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
