import { FileTrigger } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import type { Asset } from './asset.ts'
import { VersionFieldset } from './releases/version-fields.tsx'
import type { NewVersion } from './use-new-version.ts'

/** Uploads the next version of an own asset, with notes on what is new in it. */
export function NextVersion({ asset, next }: { asset: Asset; next: NewVersion }) {
  const isFirst = asset.current_version === 0
  return (
    <section className="next-version" aria-label="Next version">
      <TextField
        label={isFirst ? 'Notes on the first version' : 'What is new in the next version'}
        placeholder="Players read it beside the version"
        value={next.notes}
        onChange={next.setNotes}
        maxLength={2_000}
        isLong
      />
      <div className="next-version-upload">
        <FileTrigger
          onSelect={(files) => {
            const [content] = files ?? []
            if (content) next.upload(content)
          }}
        >
          <Button look="primary" icon="up" isDisabled={!next.isValid}>
            {isFirst ? 'Upload the first version' : 'Upload a new version'}
          </Button>
        </FileTrigger>
        <p className="quiet small">Or drop the file here. The notes go with it.</p>
      </div>
      <VersionFieldset value={next.typed} onChange={next.setTyped} />
    </section>
  )
}
