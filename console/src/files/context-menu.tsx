import { type KeyboardEvent, type MouseEvent, type PointerEvent, useRef, useState } from 'react'
import { Popover } from 'react-aria-components'
import type { Item } from './item.ts'
import { ItemActions } from './item-menu.tsx'
import type { Opened } from './list-dialogs.tsx'

interface Props {
  items: readonly Item[]
  onRename: (id: string) => void
  onOpened: (opened: Opened) => void
}

interface Open {
  item: Item
  x: number
  y: number
}

const LONG_PRESS_MS = 500
/** How far a finger may move in a long press. */
const LONG_PRESS_PIXELS = 10

/** The item in whose row an element is; undefined elsewhere. */
export function itemAround(target: EventTarget, items: readonly Item[]): Item | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[role="row"]') : null
  return items.find(({ id }) => row?.dataset.key === id)
}

/**
 * The menu of an item at the pointer: by the right mouse button, the menu key, Shift and F10, or a long touch. One for the whole
 * list, so that rows stay cheap. Returns the props of the list's box, and the menu.
 */
export function useItemContextMenu({ items, onRename, onOpened }: Props) {
  const [open, setOpen] = useState<Open>()
  const anchor = useRef<HTMLSpanElement>(null)
  const touch = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const endTouch = () => clearTimeout(touch.current?.timer)

  /** Opens the menu of the row around an element. Returns whether there is one. */
  function openFor(target: EventTarget, at?: { x: number; y: number }): boolean {
    if (!(target instanceof Element) || target instanceof HTMLInputElement) return false
    const row = target.closest('[role="row"]')
    const item = itemAround(target, items)
    if (!row || !item) return false
    const { left, top, height } = row.getBoundingClientRect()
    // The focus returns to the row when the menu closes.
    if (row instanceof HTMLElement && !row.contains(document.activeElement)) row.focus()
    setOpen({ item, ...(at ?? { x: left + Math.min(height, 48), y: top + height / 2 }) })
    return true
  }

  const boxProps = {
    onContextMenu: (event: MouseEvent) => {
      endTouch()
      if (openFor(event.target, { x: event.clientX, y: event.clientY })) event.preventDefault()
    },
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return
      if (!openFor(event.target)) return
      event.preventDefault()
      event.stopPropagation()
    },
    // Safari on iOS has no contextmenu event.
    onPointerDownCapture: (event: PointerEvent) => {
      endTouch()
      if (event.pointerType !== 'touch') return
      const { target, clientX: x, clientY: y } = event
      const opened = () => {
        // The end of the touch would press the row.
        if (openFor(target, { x, y }))
          target.dispatchEvent(new window.PointerEvent('pointercancel', { bubbles: true }))
      }
      touch.current = { timer: setTimeout(opened, LONG_PRESS_MS), x, y }
    },
    onPointerMoveCapture: ({ clientX, clientY }: PointerEvent) => {
      const { x = clientX, y = clientY } = touch.current ?? {}
      if (Math.hypot(clientX - x, clientY - y) > LONG_PRESS_PIXELS) endTouch()
    },
    onPointerUpCapture: endTouch,
    onPointerCancelCapture: endTouch,
  }

  const close = () => setOpen(undefined)
  const menu = (
    <>
      <span
        ref={anchor}
        className="menu-anchor"
        style={{ left: open?.x ?? 0, top: open?.y ?? 0 }}
        aria-hidden="true"
      />
      <Popover
        className="popover"
        aria-label="Actions"
        triggerRef={anchor}
        placement="bottom start"
        offset={0}
        isOpen={open !== undefined}
        onOpenChange={close}
        onContextMenu={(event) => event.preventDefault()}
      >
        {open && <ItemActions item={open.item} onRename={onRename} onOpened={onOpened} onClose={close} />}
      </Popover>
    </>
  )
  return { boxProps, menu }
}
