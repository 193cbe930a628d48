import { useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { JsonField, objectOf } from '../controls/json-field.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { isRefusal, useSession } from '../session/session.tsx'
import type { AssetWithPage } from './asset.ts'
import { DeveloperView } from './developer-view.tsx'
import { Outdated } from './outdated.tsx'
import { RatingField } from './rating-field.tsx'
import { TagsField, tagsOf } from './tags-field.tsx'

interface Props {
  asset: AssetWithPage
  onClose: () => void
}

/** Edits what an asset says of itself, and who finds it. Saves only over the state that was read. */
export function EditPage({ asset, onClose }: Props) {
  const { client, changed } = useSession()
  const [read, setRead] = useState(asset)
  const load = async () => {
    setRead(await client.assets.get({ id: asset.id }))
    await changed('assets')
  }
  return (
    <PageForm key={read.etag} asset={read} onLoad={() => void load().catch(showError)} onClose={onClose} />
  )
}

function PageForm({ asset, onLoad, onClose }: Props & { onLoad: () => void }) {
  const { client, changed } = useSession()
  const { id, name, etag } = asset
  const [description, setDescription] = useState(asset.description)
  const [tags, setTags] = useState(asset.tags.join(' '))
  const [metadata, setMetadata] = useState(() => JSON.stringify(asset.metadata, null, 2))
  const [isPublic, setPublic] = useState(asset.visibility === 'public')
  const [listed, setListed] = useState(asset.listed)
  const [rating, setRating] = useState(asset.rating)
  const [isOutdated, setOutdated] = useState(false)
  const save = async () => {
    const visibility = isPublic ? ('public' as const) : ('private' as const)
    const page = { description, tags: tagsOf(tags), metadata: objectOf(metadata), listed, rating }
    try {
      await client.assets.edit({ id, visibility, ...page }, { ifMatch: etag })
    } catch (error) {
      setOutdated(isRefusal(error, 'PRECONDITION_FAILED'))
      throw error
    }
    showNotice(`The page of ${name} is saved.`)
    await changed('assets')
  }
  return (
    <FormDialog title={`Edit the page of ${name}`} action="Save" onSubmit={save} onClose={onClose}>
      <div className="prose">
        <TextField label="Description" value={description} onChange={setDescription} isLong autoFocus />
      </div>
      <TagsField value={tags} onChange={setTags} />
      <RatingField value={rating} onChange={setRating} isUnrated={asset.rating === null} />
      <Checkbox className="checkbox" isSelected={isPublic} onChange={setPublic}>
        <span className="box" />
        <span>
          Public <span className="quiet">Every signed-in user can read and branch it.</span>
        </span>
      </Checkbox>
      <Checkbox className="checkbox" isSelected={listed} onChange={setListed}>
        <span className="box" />
        <span>
          Listed{' '}
          <span className="quiet">
            Discover shows it while it is public. Otherwise it is found by its id.
          </span>
        </span>
      </Checkbox>
      <DeveloperView>
        <JsonField label="Metadata, as a JSON object" value={metadata} onChange={setMetadata} />
      </DeveloperView>
      {isOutdated && <Outdated onLoad={onLoad} />}
    </FormDialog>
  )
}
