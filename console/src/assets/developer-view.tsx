import type { ReactNode } from 'react'
import { useDeveloperView } from '../shell/developer-view.ts'

/** What only developers need. */
export function DeveloperView({ children }: { children: ReactNode }) {
  return useDeveloperView() ? <section className="developer-view stack">{children}</section> : null
}
