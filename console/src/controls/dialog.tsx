import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { Icon } from './icon.tsx'

interface Props {
  title: string
  isOpen: boolean
  onClose: () => void
  /** Whether the dialog has two columns. */
  isWide?: boolean
  children: ReactNode
}

/** A modal dialog. Escape or a press outside closes it, and the focus returns to the previous element. */
export function Dialog({ title, isOpen, onClose, isWide, children }: Props) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className={isWide ? 'modal wide' : 'modal'}>
        <AriaDialog className="dialog">
          <div className="row">
            <Heading slot="title" className="spread">
              {title}
            </Heading>
            {/* No tooltip, because an open tooltip takes the first press of Escape. */}
            <Button slot="close" className="button quiet square" aria-label="Close">
              <Icon name="close" />
            </Button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
