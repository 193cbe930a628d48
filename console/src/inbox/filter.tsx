import type { Notification } from 'edge-game-storage-client'
import { Select } from '../controls/field.tsx'
import type { Place } from '../shell/address.ts'
import { kindOf } from './what-happened.ts'

const states = { all: 'Read and unread', unread: 'Unread', read: 'Read' }

/** Which notifications are shown. */
export interface Filter {
  state: keyof typeof states
  /** A type, or `all`: no type has this name. */
  type: string
}

/** The filter in the query of a place. */
export function filterOf({ state = 'all', type = 'all' }: Place['query']): Filter {
  return { state: isState(state) ? state : 'all', type }
}

function isState(name: string): name is Filter['state'] {
  return Object.hasOwn(states, name)
}

/** Whether a filter shows a notification. */
export function isShown({ state, type }: Filter, notification: Notification): boolean {
  return (state === 'all' || notification.state === state) && (type === 'all' || notification.type === type)
}

interface Props {
  filter: Filter
  onChange: (filter: Filter) => void
  /** The types to choose from. */
  types: readonly string[]
}

/** The choice of a state and of a type. */
export function FilterFields({ filter, onChange, types }: Props) {
  const options: Record<string, string> = { all: 'All types' }
  for (const type of types) {
    const kind = kindOf(type)
    options[type] = Object.values(options).includes(kind) ? `${kind} (${type})` : kind
  }
  return (
    <>
      <Select
        label="State"
        isLabelHidden
        options={states}
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state })}
      />
      <Select
        label="Type shown"
        isLabelHidden
        options={options}
        value={filter.type}
        onChange={(type) => onChange({ ...filter, type })}
      />
    </>
  )
}
