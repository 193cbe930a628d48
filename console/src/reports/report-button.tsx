import type { Target } from 'edge-game-storage-client'
import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { ReportDialog } from './report-dialog.tsx'

/** A button that reports something of somebody else. */
export function ReportButton({ target, name }: { target: Target; name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" icon="flag" aria-label={`Report ${name}`} onPress={() => setOpen(true)}>
        Report
      </Button>
      {isOpen && <ReportDialog target={target} name={name} onClose={() => setOpen(false)} />}
    </>
  )
}
