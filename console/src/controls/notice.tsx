import { useState } from 'react'
import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { Button, IconButton } from './button.tsx'
import { ErrorNote } from './status.tsx'

/** `undo`: takes back what the notice says. */
type Notice = { text: string; undo?: () => Promise<unknown> } | { error: unknown }

const notices = new ToastQueue<Notice>({ maxVisibleToasts: 1 })

/** Shows a notice, for some seconds. */
export function showNotice(text: string): void {
  notices.add({ text }, { timeout: 5_000 })
}

/** How long a notice waits for its button, in milliseconds. It waits on while the pointer or the focus is on it. */
const UNDO_MS = 20_000

/** Shows a notice with a button that takes back what it says. F6 leads to it. */
export function showUndo(text: string, undo: () => Promise<unknown>): void {
  notices.add({ text, undo }, { timeout: UNDO_MS })
}

/** Shows an error, until the user closes the notice. */
export function showError(error: unknown): void {
  notices.add({ error })
}

/** Closes all notices, with their buttons: those of a user who has signed out would act for them, and are not for the next one. */
export function closeNotices(): void {
  notices.clear()
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
          {'undo' in toast.content && toast.content.undo && (
            <UndoButton undo={toast.content.undo} onDone={() => notices.close(toast.key)} />
          )}
          <IconButton slot="close" icon="close" label="Close the notice" />
        </Toast>
      )}
    </ToastRegion>
  )
}

function UndoButton({ undo, onDone }: { undo: () => Promise<unknown>; onDone: () => void }) {
  const [isPending, setPending] = useState(false)
  return (
    <Button
      icon="restore"
      isPending={isPending}
      onPress={async () => {
        setPending(true)
        await undo().catch(showError)
        onDone()
      }}
    >
      Undo
    </Button>
  )
}
