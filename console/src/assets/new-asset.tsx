import { useState } from 'react'
import { Checkbox, DropZone, FileTrigger, isFileDropItem, Text } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { Select, TextField } from '../controls/field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { formatBytes } from '../controls/format.ts'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { useQueue } from '../uploads/uploads.tsx'
import { type AssetType, types } from './asset.ts'

interface Props {
  type: AssetType
  onClose: () => void
}

/** Creates an asset: empty, or with the content of its first version. */
export function NewAsset({ type: initialType, onClose }: Props) {
  const { client, changed } = useSession()
  const queue = useQueue()
  const [name, setName] = useState('')
  const [type, setType] = useState(initialType)
  const [isPublic, setPublic] = useState(false)
  const [content, setContent] = useState<File>()
  const choose = (file: File | undefined) => {
    setContent(file)
    if (file && name === '') setName(file.name.replace(/(?<=.)\.[^.]*$/, ''))
  }
  const create = async () => {
    const visibility = isPublic ? ('public' as const) : ('private' as const)
    if (content) return queue.addVersion(content, name, { kind: 'asset', asset_type: type, visibility })
    await client.createAsset({ name, type, visibility })
    showNotice(`${name} is created, without content yet.`)
    await changed('assets')
  }
  return (
    <FormDialog title="New asset" action={content ? 'Upload' : 'Create'} onSubmit={create} onClose={onClose}>
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <Select label="Type" options={types} value={type} onChange={setType} />
      <DropZone
        className="asset-drop"
        aria-label="Content of the first version"
        onDrop={async ({ items }) => choose(await items.find(isFileDropItem)?.getFile())}
      >
        <Text slot="label" className="spread">
          {content ? (
            <>
              {content.name} <span className="quiet">{formatBytes(content.size)}</span>
            </>
          ) : (
            <span className="quiet">
              Drop the content of the first version here. Without it, the asset is empty at first.
            </span>
          )}
        </Text>
        <FileTrigger onSelect={(files) => choose(files?.[0])}>
          <Button icon="up">{content ? 'Choose another file' : 'Choose a file'}</Button>
        </FileTrigger>
        {content && (
          <IconButton icon="close" label="Leave the content out" onPress={() => choose(undefined)} />
        )}
      </DropZone>
      <Checkbox className="checkbox" isSelected={isPublic} onChange={setPublic}>
        <span className="box" />
        <span>
          Public <span className="quiet">Every signed-in user can find, read and branch it.</span>
        </span>
      </Checkbox>
    </FormDialog>
  )
}
