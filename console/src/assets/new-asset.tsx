import { useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { Select, TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { showError, showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import { type Asset, type AssetType, types } from './asset.ts'
import { FileField } from './file-field.tsx'
import { setPreview } from './make-preview.ts'
import { RatingField } from './rating-field.tsx'
import { fieldsOf, forAll, VersionFieldset } from './releases/version-fields.tsx'
import { TagsField, tagsOf } from './tags-field.tsx'

interface Props {
  type: AssetType
  onClose: () => void
}

/** Creates an asset: empty, or with the content of its first version; with what its page says, and a picture. */
export function NewAsset({ type: initialType, onClose }: Props) {
  const { client, changed } = useSession()
  const queue = useQueue()
  const [name, setName] = useState('')
  const [type, setType] = useState(initialType)
  const [isPublic, setPublic] = useState(false)
  const [content, setContent] = useState<File>()
  const [typed, setTyped] = useState(forAll)
  const [picture, setPicture] = useState<File>()
  const [description, setDescription] = useState('')
  const [tags, setTags] = useState('')
  const [rating, setRating] = useState<Asset['rating']>(null)
  const fields = fieldsOf(typed)
  const choose = (file: File | undefined) => {
    setContent(file)
    if (file && name === '') setName(file.name.replace(/(?<=.)\.[^.]*$/, ''))
  }
  const create = async () => {
    const visibility = isPublic ? ('public' as const) : ('private' as const)
    const hasPage = picture !== undefined || description !== '' || tagsOf(tags).length > 0
    if (content && !hasPage)
      return queue.addVersion(content, name, {
        kind: 'asset',
        asset_type: type,
        visibility,
        rating,
        ...fields,
      })
    const page = { description, tags: tagsOf(tags), rating }
    const { id } = await client.assets.create({ name, type, visibility, ...page })
    if (picture) await setPreview(client, id, picture).catch(showError)
    if (content) queue.addVersion(content, name, { kind: 'version', asset_id: id, ...fields })
    else showNotice(`${name} is created, without content yet.`)
    await changed('assets')
  }
  return (
    <FormDialog
      title="New asset"
      action={content ? 'Upload' : 'Create'}
      isAllowed={!content || fields !== undefined}
      onSubmit={create}
      onClose={onClose}
    >
      <div className="asset-naming">
        <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
        <Select label="Type" options={types} value={type} onChange={setType} />
      </div>
      <FileField
        label="Content of the first version"
        empty="Drop the content of the first version here. Without it, the asset is empty at first."
        choice="Choose a file"
        file={content}
        onChange={choose}
      />
      {content && <VersionFieldset value={typed} onChange={setTyped} />}
      <FileField
        label="Picture"
        empty="Drop a picture of it here, which lists show. Content that is a picture needs no other."
        choice="Choose a picture"
        isPicture
        file={picture}
        onChange={setPicture}
      />
      <div className="prose">
        <TextField label="Description" value={description} onChange={setDescription} isLong />
      </div>
      <TagsField value={tags} onChange={setTags} />
      <RatingField value={rating} onChange={setRating} isUnrated />
      <Checkbox className="checkbox" isSelected={isPublic} onChange={setPublic}>
        <span className="box" />
        <span>
          Public <span className="quiet">Every signed-in user can find, read and branch it.</span>
        </span>
      </Checkbox>
    </FormDialog>
  )
}
