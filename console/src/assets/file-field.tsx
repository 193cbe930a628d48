import { useEffect, useState } from 'react'
import { DropZone, FileTrigger, isFileDropItem, Text } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { formatBytes } from '../controls/format.ts'

interface Props {
  label: string
  /** What to say without a file. */
  empty: string
  /** The text of the button that chooses a file. */
  choice: string
  isPicture?: boolean
  file: File | undefined
  onChange: (file: File | undefined) => void
}

/** A field for a file, which is dropped on it or chosen. */
export function FileField({ label, empty, choice, isPicture, file, onChange }: Props) {
  return (
    <div className="field">
      <span className="react-aria-Label" aria-hidden="true">
        {label}
      </span>
      <DropZone
        className="asset-drop"
        aria-label={label}
        onDrop={async ({ items }) => onChange(await items.find(isFileDropItem)?.getFile())}
      >
        <Thumbnail file={file} />
        <Text slot="label" className="spread">
          {file ? (
            <>
              {file.name} <span className="quiet">{formatBytes(file.size)}</span>
            </>
          ) : (
            <span className="quiet">{empty}</span>
          )}
        </Text>
        <FileTrigger
          {...(isPicture && { acceptedFileTypes: ['image/*'] })}
          onSelect={(files) => onChange(files?.[0])}
        >
          <Button icon={isPicture ? 'picture' : 'up'}>{file ? 'Choose another file' : choice}</Button>
        </FileTrigger>
        {file && (
          <IconButton icon="close" label={`Leave ${file.name} out`} onPress={() => onChange(undefined)} />
        )}
      </DropZone>
    </div>
  )
}

/** A small view of a file that is a picture, once the browser has read it. */
function Thumbnail({ file }: { file: File | undefined }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file?.type.startsWith('image/')) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(undefined)
    }
  }, [file])
  if (url === undefined) return null
  return (
    <img
      className="asset-thumbnail"
      src={url}
      alt={`Preview of ${file?.name}`}
      onError={() => setUrl(undefined)}
    />
  )
}
