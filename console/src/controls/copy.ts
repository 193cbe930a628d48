import { showError, showNotice } from './notice.tsx'

/** Copies a text, and then shows `notice`. */
export async function copyText(text: string, notice: string): Promise<void> {
  try {
    // At http: of another machine, which is no secure context, a page has no clipboard.
    if (window.isSecureContext) await navigator.clipboard.writeText(text)
    else copyByEvent(text)
    showNotice(notice)
  } catch (error) {
    showError(error)
  }
}

/** @throws Error when the browser refuses to copy */
function copyByEvent(text: string): void {
  const copied = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('copy', copied, { capture: true, once: true })
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', copied, { capture: true })
  if (!isCopied) throw new Error('The browser does not let this page copy.')
}
