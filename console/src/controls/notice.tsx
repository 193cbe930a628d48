import { useEffect, useState } from 'react'
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

/** The notices that can be taken back, the latest last. */
const undoable: { key: string; undo: () => Promise<unknown> }[] = []

/** How long a notice waits for its button, in milliseconds. It waits on while the pointer or the focus is on it. */
const UNDO_MS = 20_000

/** Shows a notice with a button that takes back what it says. F6 leads to it, and Ctrl+Z presses it. */
export function showUndo(text: string, undo: () => Promise<unknown>): void {
  const key = notices.add({ text, undo }, { timeout: UNDO_MS, onClose: () => void taken(key) })
  undoable.push({ key, undo })
}

/** Takes a notice off those that can be taken back, the latest by default; undefined when there is none. */
function taken(key = undoable.at(-1)?.key) {
  const at = undoable.findIndex((one) => one.key === key)
  return at === -1 ? undefined : undoable.splice(at, 1)[0]
}

/** Takes back what a notice says, once, and closes it. */
async function takeBack(key?: string): Promise<void> {
  const one = taken(key)
  if (!one) return
  await one.undo().catch(showError)
  notices.close(one.key)
}

/** Shows an error, until the user closes the notice. */
export function showError(error: unknown): void {
  notices.add({ error })
}

/** Closes all notices, with their buttons: those of a user who has signed out would act for them, and are not for the next one. */
export function closeNotices(): void {
  undoable.length = 0
  notices.clear()
}

/** The region in which notices appear. Render it once in the page. */
export function Notices() {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, target, repeat, ctrlKey, metaKey, shiftKey, altKey } = event
      if (key.toLowerCase() !== 'z' || !(ctrlKey || metaKey) || shiftKey || altKey) return
      if (isText(target) || isBefore(target) || undoable.length === 0) return
      event.preventDefault()
      if (!repeat) void takeBack()
    }
    document.addEventListener('keydown', pressed, { capture: true })
    return () => document.removeEventListener('keydown', pressed, { capture: true })
  }, [])
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
          {'undo' in toast.content && toast.content.undo && <UndoButton undo={() => takeBack(toast.key)} />}
          <IconButton slot="close" icon="close" label="Close the notice" />
        </Toast>
      )}
    </ToastRegion>
  )
}

/** Whether keys that are pressed there change a text, which the browser takes back itself. */
export function isText(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input:not([type="checkbox"], [type="radio"]), textarea')
}

/** Whether an element is in a dialog or a menu, behind which nothing is to change. */
function isBefore(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role="dialog"], [role="menu"]') !== null
}

function UndoButton({ undo }: { undo: () => Promise<unknown> }) {
  const [isPending, setPending] = useState(false)
  return (
    <Button
      icon="restore"
      isPending={isPending}
      onPress={async () => {
        setPending(true)
        await undo()
      }}
    >
      Undo
    </Button>
  )
}
