import { tell, tellError } from './notice.tsx'

/** Copies a text, and says so with `said`. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    tell(said)
  } catch (error) {
    tellError(error)
  }
}
