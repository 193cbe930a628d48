import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Select, TextField } from '../../controls/field.tsx'
import { ErrorNote } from '../../controls/status.tsx'
import { useSettled } from '../../controls/use-settled.ts'
import { useSession } from '../../session/session.tsx'
import { ASSETS, type Asset, type Version } from '../asset.ts'
import { inWords } from './answer.ts'
import { boundOf } from './builds-fields.tsx'
import { PlatformField, problemOfPlatform } from './platform-field.tsx'
import { LIVE, platformsOf } from './release.ts'
import { useReleases } from './use-releases.ts'

interface Props {
  asset: Asset
  /** The versions that have been read, the newest first. */
  versions: readonly Version[]
}

/** Choices that are no names of platforms. */
const NONE = '*'
const OTHER = '+'

/** Asks the service what a player would get, on a platform, with a build of the game, and with the key of a channel. */
export function WouldGet({ asset, versions }: Props) {
  const { client } = useSession()
  const { list, channels } = useReleases(asset)
  const { id, visibility, current_version } = asset
  const [chosen, setChosen] = useState(NONE)
  const [other, setOther] = useState('')
  const [build, setBuild] = useState('')
  const [channel, setChannel] = useState(LIVE)
  const platform = useSettled(chosen === OTHER ? other : chosen === NONE ? '' : chosen)
  const settled = useSettled(build)
  const bound = boundOf(settled)
  const asked = channels.find((one) => one.channel === channel)
  const question = {
    item: {
      asset_id: id,
      version: 0,
      ...(platform !== '' && { platform }),
      ...(typeof asked?.key === 'string' && { channel_key: asked.key }),
    },
    ...(typeof bound === 'number' && { build: bound }),
  }
  const isValid = bound !== undefined && (platform === '' || problemOfPlatform(platform) === null)
  const { data, error } = useQuery({
    queryKey: [ASSETS, 'updates', id, question],
    queryFn: async ({ signal }) => {
      const { item, ...rest } = question
      const { updates } = await client.assets.getUpdates({ items: [item], ...rest }, { signal })
      return updates[0]
    },
    enabled: isValid && list.isSuccess,
  })
  const known = platformsOf(versions).filter((one) => one !== null)
  if (!list.isSuccess) return null
  return (
    <section className="would-get" aria-label="What would a player get?">
      <h2>What would a player get?</h2>
      <div className="would-get-fields">
        <Select
          label="Who"
          options={{
            [LIVE]: 'Every player',
            ...Object.fromEntries(
              channels
                .filter(({ key }) => key !== null)
                .map((one) => [one.channel, `With the key of ${one.channel}`]),
            ),
          }}
          value={asked ? channel : LIVE}
          onChange={setChannel}
        />
        <Select
          label="Platform"
          options={{
            [NONE]: 'None named',
            ...Object.fromEntries(known.map((one) => [one, one])),
            [OTHER]: 'Another one …',
          }}
          value={chosen}
          onChange={setChosen}
        />
        {chosen === OTHER && <PlatformField value={other} onChange={setOther} isFocused />}
        <TextField
          label="Build"
          placeholder="any"
          inputMode="numeric"
          value={build}
          onChange={setBuild}
          validate={(text) => (boundOf(text) === undefined ? 'A build is a whole number.' : null)}
        />
      </div>
      {error ? (
        <ErrorNote error={error} />
      ) : (
        <p className="would-get-answer" role="status">
          {isValid && data
            ? inWords(data, {
                platform: platform === '' ? undefined : platform,
                build: bound ?? undefined,
                channel: asked?.channel,
                upTo: asked?.version ?? current_version,
                versions,
              })
            : ' '}
          {visibility === 'private' && ' The asset is private: nobody but you gets it yet.'}
        </p>
      )}
    </section>
  )
}
