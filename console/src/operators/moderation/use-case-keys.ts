import { type RefObject, useEffect } from 'react'
import { isText } from '../../controls/notice.tsx'

/** Where a letter is typed, or chooses one of several. */
const ofLetters =
  '[role="dialog"], [role="menu"], [role="listbox"], [role="grid"], [aria-haspopup="listbox"], [contenteditable="true"]'

/** Presses of J and K in a pane, except where letters are typed. The first pane also has those that go nowhere else. */
export function useCaseKeys(
  element: RefObject<HTMLElement | null>,
  { isFirst, onNext, onPrevious }: { isFirst: boolean; onNext: () => void; onPrevious: () => void },
): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      if (ctrlKey || metaKey || altKey || isText(target)) return
      if (!(target instanceof Element) || target.closest(ofLetters)) return
      const isHere = element.current?.closest('.pane')?.contains(target)
      if (!isHere && !(isFirst && target === document.body)) return
      if (key === 'j') onNext()
      else if (key === 'k') onPrevious()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  })
}
