import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { formatBytes } from '../controls/format.ts'
import { tellError } from '../controls/notice.tsx'
import { ErrorNote, Progress } from '../controls/status.tsx'
import { isRefusal } from '../session/session.tsx'
import { type AssetUpload, useAssetUploads } from './asset-uploads.ts'
import { NameDialog } from './name-dialog.tsx'

/** The uploads that go on or have stopped: of one asset, or all of them. */
export function UploadList({ asset_id }: { asset_id?: string }) {
  const { uploads } = useAssetUploads()
  const shown = uploads.filter((upload) => asset_id === undefined || upload.asset_id === asset_id)
  if (shown.length === 0) return null
  return (
    <ul className="asset-uploads" aria-label="Uploads">
      {shown.map((upload) => (
        <li key={upload.id} className="stack">
          <Row upload={upload} />
        </li>
      ))}
    </ul>
  )
}

function Row({ upload }: { upload: AssetUpload }) {
  const { desk } = useAssetUploads()
  const [isNaming, setNaming] = useState(false)
  const { name, content, sent_bytes, error } = upload
  const hasArrived = sent_bytes === content.size
  // Content in one piece counts as sent when it has arrived.
  const isMeasured = sent_bytes > 0 && !hasArrived
  return (
    <>
      <div className="row">
        <span className="spread cut">{name}</span>
        <span className="quiet small">
          {hasArrived && error === undefined
            ? 'Checking what arrived…'
            : isMeasured
              ? `${formatBytes(sent_bytes)} of ${formatBytes(content.size)}`
              : formatBytes(content.size)}
        </span>
        <Button
          look="quiet"
          icon="close"
          onPress={() => desk.cancel(upload).catch(tellError)}
          aria-label={`Cancel the upload of ${name}`}
        >
          Cancel
        </Button>
      </div>
      {error === undefined ? (
        <Progress label={`Upload of ${name}`} {...(isMeasured && { value: sent_bytes / content.size })} />
      ) : isRefusal(error, 'DUPLICATE_ASSET_NAME') ? (
        <div className="row">
          <span className="spread">The name has been taken meanwhile.</span>
          <Button onPress={() => setNaming(true)}>Choose another name</Button>
        </div>
      ) : (
        <ErrorNote error={error} onRetry={() => desk.resume(upload)} />
      )}
      {isNaming && (
        <NameDialog
          title="Another name"
          action="Go on"
          initial={name}
          onSubmit={async (other) => desk.resume(upload, other)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  )
}
