import { useState } from 'react'
import { FormDialog } from '../../controls/form-dialog.tsx'
import { useQueue } from '../../uploads/uploads.tsx'
import type { Asset, Version } from '../asset.ts'
import { FileField } from '../file-field.tsx'
import { PlatformField, problemOfPlatform } from './platform-field.tsx'
import { contentsOf } from './release.ts'

interface Props {
  asset: Asset
  version: Version
  /** The platforms that other versions have, too. */
  platforms: readonly (string | null)[]
  onClose: () => void
}

/** Uploads content of a version for a further platform. */
export function AddPlatform({ asset: { id, name }, version: row, platforms, onClose }: Props) {
  const queue = useQueue()
  const present = contentsOf(row).map(({ platform }) => platform)
  const missing = platforms.find((platform) => !present.includes(platform))
  const [platform, setPlatform] = useState(missing ?? '')
  const [content, setContent] = useState<File>()
  const { version } = row
  return (
    <FormDialog
      title={`Content of version ${version} for a platform`}
      action="Upload"
      isAllowed={content !== undefined && problemOfPlatform(platform) === null}
      onSubmit={async () => {
        if (content) queue.addVersion(content, name, { kind: 'variant', asset_id: id, version, platform })
      }}
      onClose={onClose}
    >
      <PlatformField
        value={platform}
        onChange={setPlatform}
        hint="As the game names it. A game that asks for this platform gets this content, and others the version’s own."
        isRequired
        isFocused
      />
      <FileField
        label="Content"
        empty="Drop the content here. It is never replaced: that takes a new version."
        choice="Choose a file"
        file={content}
        onChange={setContent}
      />
    </FormDialog>
  )
}
