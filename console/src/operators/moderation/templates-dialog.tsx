import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Button, IconButton } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { keepTemplates, readTemplates } from './templates.ts'

interface Props {
  /** The statement as it is written now. */
  statement: string
  onUse: (text: string) => void
  onClose: () => void
}

/** The texts that this browser keeps for statements: use one, keep the present statement as one, or delete one. */
export function TemplatesDialog({ statement, onUse, onClose }: Props) {
  const [templates, setTemplates] = useState(readTemplates)
  const [name, setName] = useState('')
  const text = statement.trim()
  const canKeep = text !== '' && name.trim() !== ''
  const keep = (event: FormEvent) => {
    event.preventDefault()
    if (!canKeep) return
    const others = templates.filter((one) => one.name !== name.trim())
    setTemplates(keepTemplates([...others, { name: name.trim(), text }]))
    setName('')
  }
  return (
    <Dialog title="Templates" isOpen onClose={onClose}>
      {templates.length === 0 ? (
        <p className="quiet">
          None yet. Write a statement, and keep it here under a name: this browser has it the next time.
        </p>
      ) : (
        <ul className="plain-list boxed" aria-label="Templates">
          {templates.map((template) => (
            <li key={template.name} className="row template">
              <span className="spread">
                <span className="cut template-name">{template.name}</span>
                <span className="cut quiet small template-text">{template.text}</span>
              </span>
              <Button
                aria-label={`Use ${template.name}`}
                onPress={() => {
                  onUse(template.text)
                  onClose()
                }}
              >
                Use
              </Button>
              <IconButton
                icon="trash"
                label={`Delete ${template.name}`}
                onPress={() => setTemplates(keepTemplates(templates.filter((one) => one !== template)))}
              />
            </li>
          ))}
        </ul>
      )}
      {text !== '' && (
        <Form className="line" onSubmit={keep}>
          <TextField label="Keep the statement as" value={name} onChange={setName} maxLength={100} />
          <Button type="submit" isDisabled={!canKeep}>
            Keep
          </Button>
        </Form>
      )}
    </Dialog>
  )
}
