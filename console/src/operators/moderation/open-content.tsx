import { useState } from 'react'
import { Link } from 'react-aria-components'
import { Button } from '../../controls/button.tsx'
import { TextField } from '../../controls/field.tsx'
import { FormDialog } from '../../controls/form-dialog.tsx'
import { formatTime } from '../../controls/format.ts'
import { Icon } from '../../controls/icon.tsx'
import { useSession } from '../../session/session.tsx'

/**
 * Asks why, and gives the link to the content of a case's thing, also of what players don't see: of an asset any version, for any
 * platform. The audit keeps the reason.
 */
export function OpenContent({ id, isOfAsset }: { id: string; isOfAsset: boolean }) {
  const { studio } = useSession()
  const [isAsked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const [version, setVersion] = useState('')
  const [platform, setPlatform] = useState('')
  const [content, setContent] = useState<{ url: string; expires_at: number }>()
  const read = async () => {
    const of = { ...(version && { version: Number(version) }), ...(platform && { platform }) }
    setContent(await studio.cases.getContent({ id, reason: reason.trim(), ...of }))
  }
  return (
    <>
      <div className="row case-links">
        {content && (
          <>
            <Link className="button plain" href={content.url} target="_blank" rel="noopener noreferrer">
              <Icon name="down" />
              Open it in a new tab
            </Link>
            <span className="quiet small">until {formatTime(content.expires_at)}</span>
          </>
        )}
        {(isOfAsset || !content) && (
          <Button icon="file" onPress={() => setAsked(true)}>
            {content ? 'Open other content' : 'Open the content'}
          </Button>
        )}
      </div>
      {isAsked && (
        <FormDialog
          title="Open the content"
          action="Get the link"
          isAllowed={reason.trim() !== ''}
          onSubmit={read}
          onClose={() => setAsked(false)}
        >
          <p>
            You see it although it may be private or blocked. The audit keeps who looked, when, and this
            reason.
          </p>
          <TextField
            label="Reason"
            value={reason}
            onChange={setReason}
            maxLength={500}
            placeholder="Is the slogan in the file?"
            isRequired
            autoFocus
          />
          {isOfAsset && (
            <>
              <TextField
                label="Version"
                value={version}
                onChange={(text) => setVersion(text.replaceAll(/\D/g, ''))}
                inputMode="numeric"
                placeholder="what players get"
              />
              <TextField
                label="Platform"
                value={platform}
                onChange={setPlatform}
                maxLength={32}
                placeholder="the version’s own content"
              />
            </>
          )}
        </FormDialog>
      )}
    </>
  )
}
