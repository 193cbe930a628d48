import type { Region } from 'edge-game-storage-client'
import { Checkbox } from 'react-aria-components'
import { Select, TextField } from '../controls/field.tsx'
import { JsonField, objectOf } from '../controls/json-field.tsx'
import { OwnTypeField, ownTypeOf } from '../controls/own-type-field.tsx'

const types = {
  friend_request: 'Friend request',
  friend_accepted: 'Friend accepted',
  own: 'The game’s own',
}

const regions: Record<Region | 'none', string> = {
  none: 'Near its first caller',
  wnam: 'Western North America',
  enam: 'Eastern North America',
  sam: 'South America',
  weur: 'Western Europe',
  eeur: 'Eastern Europe',
  me: 'The Middle East',
  afr: 'Africa',
  apac: 'Asia and the Pacific',
  oc: 'Oceania',
}

/** A message as it is typed. */
export interface Draft {
  type: keyof typeof types
  /** The sender of a friend request. */
  name: string
  ownType: string
  /** JSON. */
  data: string
  /** Seconds, or empty. */
  expiresIn: string
  isKept: boolean
  /** Where the users are. */
  region: Region | 'none'
}

interface Props {
  draft: Draft
  onChange: (draft: Draft) => void
}

/** The fields of a message: its type and data, for how long it is kept, and where a new inbox is made. */
export function MessageFields({ draft, onChange }: Props) {
  const { type, name, ownType, data, expiresIn, isKept, region } = draft
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  return (
    <>
      <div className="stack">
        <Select label="Type" options={types} value={type} onChange={(chosen) => set({ type: chosen })} />
        {type === 'own' ? (
          <OwnTypeField value={ownType} onChange={(text) => set({ ownType: text })} />
        ) : (
          <TextField
            label="From, by display name"
            value={name}
            onChange={(text) => set({ name: text })}
            isRequired
          />
        )}
      </div>
      {type === 'own' && (
        <JsonField label="Data, as a JSON object" value={data} onChange={(text) => set({ data: text })} />
      )}
      <div className="stack">
        <TextField
          label="Expires in, seconds"
          value={expiresIn}
          onChange={(text) => set({ expiresIn: text })}
          pattern="[0-9]{1,9}"
          inputMode="numeric"
          placeholder="as all others"
          isDisabled={!isKept}
        />
        <Checkbox className="checkbox" isSelected={!isKept} onChange={(not) => set({ isKept: !not })}>
          <span className="box" />
          <span>
            Not kept <span className="quiet">only for sockets that are open</span>
          </span>
        </Checkbox>
        <Select
          label="Where a new inbox is made"
          options={regions}
          hint="An inbox never moves"
          value={region}
          onChange={(chosen) => set({ region: chosen })}
        />
      </div>
    </>
  )
}

/** What a draft publishes. @throws TypeError when its type or data is wrong */
export function messageOf({ type, name, ownType, data, expiresIn, isKept, region }: Draft) {
  return {
    ...(type === 'own'
      ? { type: ownTypeOf(ownType), data: objectOf(data) }
      : // The social service's numeric id of the sender. The console accepts any.
        { type, data: { from_user_id: 7, from_display_name: name } }),
    ...(!isKept && { persistent: false }),
    ...(isKept && expiresIn !== '' && { expires_in: Number(expiresIn) }),
    ...(region !== 'none' && { region }),
  }
}
