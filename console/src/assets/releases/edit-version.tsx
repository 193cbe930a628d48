import { useState } from 'react'
import { TextField } from '../../controls/field.tsx'
import { FormDialog } from '../../controls/form-dialog.tsx'
import { showError, showNotice } from '../../controls/notice.tsx'
import { isRefusal, useSession } from '../../session/session.tsx'
import type { AssetWithPage, Version } from '../asset.ts'
import { Outdated } from '../outdated.tsx'
import { BuildsFields, rangeOf } from './builds-fields.tsx'

interface Props {
  asset: AssetWithPage
  version: Version
  onClose: () => void
}

/** Edits the notes of a version, and the builds that it is for. Saves only over the state that was read. */
export function EditVersion({ asset, version, onClose }: Props) {
  const { client, changed } = useSession()
  const { id } = asset
  const [read, setRead] = useState({ etag: asset.etag, version })
  const load = async () => {
    const { etag } = await client.assets.get({ id })
    setRead({ etag, version: await client.assets.getVersion({ id, version: version.version }) })
    await changed('assets')
  }
  return (
    <VersionForm key={read.etag} {...read} onLoad={() => void load().catch(showError)} onClose={onClose} />
  )
}

interface FormProps {
  etag: string
  version: Version
  onLoad: () => void
  onClose: () => void
}

function VersionForm({ etag, version: row, onLoad, onClose }: FormProps) {
  const { client, changed } = useSession()
  const { asset_id: id, version } = row
  const [notes, setNotes] = useState(row.notes ?? '')
  const [builds, setBuilds] = useState({ from: `${row.min_build ?? ''}`, to: `${row.max_build ?? ''}` })
  const [isOutdated, setOutdated] = useState(false)
  const range = rangeOf(builds)
  const save = async () => {
    try {
      await client.assets.editVersion({ id, version, notes, ...range }, { ifMatch: etag })
    } catch (error) {
      setOutdated(isRefusal(error, 'PRECONDITION_FAILED'))
      throw error
    }
    showNotice(`Version ${version} is saved.`)
    await changed('assets')
  }
  return (
    <FormDialog
      title={`Builds and notes of version ${version}`}
      action="Save"
      isAllowed={range !== undefined}
      onSubmit={save}
      onClose={onClose}
    >
      <BuildsFields value={builds} onChange={setBuilds} />
      <p className="quiet small">
        A game that says which build it is gets the highest version for it, up to the live one or that of its
        channel.
      </p>
      <TextField
        label="What is new in it"
        value={notes}
        onChange={setNotes}
        maxLength={2_000}
        isLong
        isProse
      />
      {isOutdated && <Outdated onLoad={onLoad} />}
    </FormDialog>
  )
}
