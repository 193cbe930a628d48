/** Adds a button to each block of code that copies it. */
import { copy } from './copy.ts'

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('main .code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      // In tabs, the block that is shown.
      const code = [...block.querySelectorAll('pre')].find((pre) => pre.checkVisibility())
      if (code) button.textContent = (await copy(code)) ? 'Copied' : 'Selected'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    block.append(button)
  }
}
