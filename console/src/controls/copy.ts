import { showError, showNotice } from './notice.tsx'

/** Copies a text, and then shows `notice`. */
export async function copyText(text: string, notice: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showNotice(notice)
  } catch (error) {
    showError(error)
  }
}
