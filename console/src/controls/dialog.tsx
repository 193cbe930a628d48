import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { Icon } from './icon.tsx'

interface Props {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

/** A window above the page. Escape and a press beside it close it; focus returns to where it was. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className="modal">
        <AriaDialog className="dialog">
          <div className="row">
            <Heading slot="title" className="spread">
              {title}
            </Heading>
            {/* Without the tooltip of other buttons: it would take the first press of Escape. */}
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
