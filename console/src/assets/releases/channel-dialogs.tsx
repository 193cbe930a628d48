import { useState } from 'react'
import { Confirm } from '../../controls/confirm.tsx'
import { TextField } from '../../controls/field.tsx'
import { FormDialog } from '../../controls/form-dialog.tsx'
import type { Asset } from '../asset.ts'
import { type Channel, LIVE } from './release.ts'
import type { Releases } from './use-releases.ts'

const NAME = /^[a-z0-9-]{1,32}$/

interface NewProps {
  version: number
  releases: Releases
  onClose: () => void
}

/** Asks for the name of a new channel of a version. */
export function NewChannel({ version, releases, onClose }: NewProps) {
  const [name, setName] = useState('')
  const problem = (text: string) => {
    if (!NAME.test(text)) return 'A name has 1 to 32 of the characters a–z, 0–9 and -.'
    return releases.channels.some(({ channel }) => channel === text) ? `There is a channel ${text}.` : null
  }
  return (
    <FormDialog
      title={`New channel for version ${version}`}
      action="Create"
      onSubmit={() => releases.create(name, version)}
      onClose={onClose}
    >
      <p>
        Testers who have the key of a channel get its version, before everybody does. The menu of the version
        copies the key.
      </p>
      <TextField
        label="Name"
        placeholder="beta"
        value={name}
        onChange={(text) => setName(text.toLowerCase())}
        validate={problem}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}

interface DeleteProps {
  asset: Asset
  channel: Channel
  releases: Releases
  onClose: () => void
}

/** Deletes a channel, after saying who gets what then. */
export function DeleteChannel({ asset, channel, releases, onClose }: DeleteProps) {
  return (
    <Confirm
      title={`Delete channel ${channel.channel}?`}
      action="Delete channel"
      onConfirm={() => releases.remove(channel)}
      onClose={onClose}
    >
      {channel.channel === LIVE
        ? `Everybody gets the newest version then, ${asset.current_version}, and each new one as soon as it is uploaded.`
        : 'Its key is of no use any more. A new channel of this name has another key.'}
    </Confirm>
  )
}
