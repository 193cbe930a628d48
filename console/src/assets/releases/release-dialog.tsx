import type { AssetWithPage, Version } from '../asset.ts'
import { BranchDialog } from '../branch-dialog.tsx'
import { DeleteVersion } from '../delete-version.tsx'
import { RollBack } from '../roll-back.tsx'
import { AddPlatform } from './add-platform.tsx'
import { DeleteChannel, NewChannel } from './channel-dialogs.tsx'
import { DeleteVariant } from './delete-variant.tsx'
import { EditVersion } from './edit-version.tsx'
import type { Channel } from './release.ts'
import type { Releases } from './use-releases.ts'

/** What is asked about a version. */
export type Opened =
  | { what: 'new channel' | 'edit' | 'add platform' | 'branch' | 'roll back' | 'delete' }
  | { what: 'delete channel'; channel: Channel }
  | { what: 'delete variant'; platform: string }

interface Props {
  opened: Opened
  asset: AssetWithPage
  version: Version
  channels: readonly Channel[]
  platforms: readonly (string | null)[]
  releases: Releases
  onOpen: (id: string) => void
  onClose: () => void
}

/** The dialog that the menu of a version has opened. */
export function ReleaseDialog({ opened, channels, platforms, releases, onOpen, ...rest }: Props) {
  const { asset, version: row, onClose } = rest
  const { version } = row
  switch (opened.what) {
    case 'new channel':
      return <NewChannel version={version} releases={releases} onClose={onClose} />
    case 'edit':
      return <EditVersion {...rest} />
    case 'add platform':
      return <AddPlatform {...rest} platforms={platforms} />
    case 'branch':
      return <BranchDialog asset={asset} from_version={version} onBranched={onOpen} onClose={onClose} />
    case 'roll back':
      return <RollBack asset={asset} from_version={version} onClose={onClose} />
    case 'delete channel':
      return <DeleteChannel asset={asset} channel={opened.channel} releases={releases} onClose={onClose} />
    case 'delete variant':
      return <DeleteVariant asset={asset} version={version} platform={opened.platform} onClose={onClose} />
    case 'delete':
      return <DeleteVersion asset={asset} version={version} channels={channels} onClose={onClose} />
  }
}
