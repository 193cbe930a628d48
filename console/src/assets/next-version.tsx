import { FileTrigger } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { TextField } from '../controls/field.tsx'
import type { Asset } from './asset.ts'
import { BuildsFields } from './releases/builds-fields.tsx'
import { PlatformField } from './releases/platform-field.tsx'
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
      <details className="next-version-more">
        <summary>Platform and builds</summary>
        <div className="next-version-fields">
          <PlatformField
            value={next.platform}
            onChange={next.setPlatform}
            hint="Empty: the content is for all. Content for further platforms is added to the version afterwards."
          />
          <BuildsFields value={next.builds} onChange={next.setBuilds} />
        </div>
      </details>
    </section>
  )
}
