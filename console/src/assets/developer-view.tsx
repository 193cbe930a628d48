import type { ReactNode } from 'react'

/** What only developers need, closed at first. A field in it that is refused opens it. */
export function DeveloperView({ children }: { children: ReactNode }) {
  return (
    <details
      className="developer-view"
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true
      }}
    >
      <summary className="quiet">Developer view</summary>
      <div className="stack">{children}</div>
    </details>
  )
}
