import type { ReactNode } from 'react'
import { FileTrigger } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import { formatBytes } from '../controls/format.ts'
import { showError } from '../controls/notice.tsx'
import { type Content, contentOfFile, typedContent } from './content.ts'

/** What a device is about to write. */
export interface Draft {
  label: string
  /** The seconds as typed. */
  played: string
  content: Content
}

interface Props {
  draft: Draft
  onChange: (draft: Draft) => void
  /** Buttons behind the one that takes a file. */
  children?: ReactNode
}

/** The fields of a write: what the player calls it, how long they have played, and the content as a text or a file. */
export function DetailsFields({ draft, onChange, children }: Props) {
  const { content, label, played } = draft
  return (
    <>
      <div className="save-fields">
        <TextField label="Label" value={label} onChange={(text) => onChange({ ...draft, label: text })} />
        <TextField
          label="Seconds played"
          value={played}
          onChange={(text) => onChange({ ...draft, played: text })}
          pattern="[0-9]{1,15}"
          inputMode="numeric"
        />
      </div>
      {content.text === undefined ? (
        <p className="quiet">
          {formatBytes(content.bytes.length)} of {content.mime_type}, not shown as a text.
        </p>
      ) : (
        <TextField
          label="Content"
          value={content.text}
          onChange={(text) => onChange({ ...draft, content: typedContent(text, content.mime_type) })}
          isLong
        />
      )}
      <div className="row save-actions">
        <FileTrigger
          onSelect={(files) => {
            const [file] = files ?? []
            if (file) contentOfFile(file).then((chosen) => onChange({ ...draft, content: chosen }), showError)
          }}
        >
          <Button icon="up">Choose a file</Button>
        </FileTrigger>
        {children}
      </div>
    </>
  )
}

/** The details of a draft, as the client takes them. */
export function detailsOf({ label, played, content }: Draft, device: string) {
  return {
    mime_type: content.mime_type,
    ...(device !== '' && { device }),
    ...(label !== '' && { label }),
    ...(played !== '' && { played_seconds: Number(played) }),
  }
}
