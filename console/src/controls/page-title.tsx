import type { ReactNode } from 'react'

interface Props {
  /** The name of the screen, or of what it shows. */
  children: ReactNode
  /** What acts on the whole page, at the end of its line. */
  actions?: ReactNode
}

/** The title of a page, its only heading of the first level: each screen begins with one. */
export function PageTitle({ children, actions }: Props) {
  return (
    <div className="page-head">
      <h1 className="page-title">{children}</h1>
      {actions && <div className="page-actions">{actions}</div>}
    </div>
  )
}
