import type { Notification } from 'edge-game-storage-client'

/** The title of a notification of the service's own types; undefined for a type of the game's own. */
export function titleOf({ type, data }: Notification): string | undefined {
  if (type === 'friend_request') return `Friend request from ${data.from_display_name}`
  if (type === 'friend_accepted') return `You are friends now: ${data.from_display_name}`
  return undefined
}

/** A notification as one text, for screen readers. */
export function textOf(notification: Notification): string {
  const fields = fieldsOf(notification.data).slice(0, 3)
  return (
    titleOf(notification) ??
    [notification.type, ...fields.map(({ name, value }) => `${name} ${value}`)].join(', ')
  )
}

/** The longest name or value of a field that is shown, in UTF-16 units. */
const LONGEST = 200

/** The fields of an object, their values as short texts. */
export function fieldsOf(data: object): { name: string; value: string }[] {
  return Object.entries(data).map(([name, value]: [string, unknown]) => ({
    name: shortened(name),
    value: shortened(typeof value === 'string' && value !== '' ? value : JSON.stringify(value)),
  }))
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** The longest JSON that is indented, in UTF-16 units. Deeply nested data is mostly indentation. */
const LONGEST_INDENTED = 32 * 1_024

/** An object as JSON, a field a line. */
export function formatted(data: object): string {
  const text = JSON.stringify(data, null, 2)
  return text.length > LONGEST_INDENTED ? JSON.stringify(data) : text
}
