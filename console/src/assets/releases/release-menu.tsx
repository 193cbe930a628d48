import { useState } from 'react'
import { ChoiceMenu, type MenuChoice } from '../../controls/choice-menu.tsx'
import { copyText } from '../../controls/copy.ts'
import type { AssetWithPage, Version } from '../asset.ts'
import { type Channel, LIVE, MOST_CHANNELS } from './release.ts'
import { type Opened, ReleaseDialog } from './release-dialog.tsx'
import type { Releases } from './use-releases.ts'

interface Props {
  asset: AssetWithPage
  version: Version
  /** The channels of the version. */
  channels: readonly Channel[]
  /** The platforms of the table. */
  platforms: readonly (string | null)[]
  releases: Releases
  onOpen: (id: string) => void
}

/** The button with the menu of a version. */
export function ReleaseMenu(props: Props) {
  const { asset, version: row, channels, releases } = props
  const [opened, setOpened] = useState<Opened>()
  const { version, variants } = row
  const asks = (icon: MenuChoice['icon'], text: string, opened: Opened): MenuChoice => ({
    icon,
    text: `${text} …`,
    onAction: () => setOpened(opened),
    isDanger: icon === 'trash',
  })
  const moves = (icon: MenuChoice['icon'], text: string, channel: string): MenuChoice => ({
    icon,
    text,
    onAction: () => releases.move(channel, version),
  })
  const others = releases.channels.filter(({ channel }) => channel !== LIVE && !has(channels, channel))
  const keyed = channels.flatMap(({ channel, key }) => (key === null ? [] : [{ channel, key }]))
  const choices = [
    ...(has(channels, LIVE) ? [] : [moves('globe', 'Make live', LIVE)]),
    ...others.map(({ channel }) => moves('tag', `Move ${channel} here`, channel)),
    ...(releases.channels.length < MOST_CHANNELS
      ? [asks('plus', 'New channel here', { what: 'new channel' })]
      : []),
    ...keyed.map(({ channel, key }) => ({
      icon: 'copy' as const,
      text: `Copy the key of ${channel}`,
      onAction: () =>
        void copyText(
          key,
          `The key of ${channel} is copied. With it, testers get the version of ${channel}.`,
        ),
    })),
    asks('pencil', 'Edit builds and notes', { what: 'edit' }),
    asks('up', 'Add content for a platform', { what: 'add platform' }),
    asks('branch', 'Branch', { what: 'branch' }),
    ...(version < asset.current_version
      ? [asks('restore', `Roll back to version ${version}`, { what: 'roll back' })]
      : []),
    ...channels.map((channel) =>
      asks('trash', `Delete channel ${channel.channel}`, { what: 'delete channel', channel }),
    ),
    ...variants.map(({ platform }) =>
      asks('trash', `Delete the content for ${platform}`, { what: 'delete variant', platform }),
    ),
    asks('trash', `Delete version ${version}`, { what: 'delete' }),
  ]
  return (
    <>
      <ChoiceMenu label={`Actions for version ${version}`} choices={choices} look="quiet" />
      {opened && <ReleaseDialog {...props} opened={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function has(channels: readonly Channel[], name: string): boolean {
  return channels.some(({ channel }) => channel === name)
}
