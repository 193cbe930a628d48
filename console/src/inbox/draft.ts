import type { Notification, Region } from 'edge-game-storage-client'
import { objectOf } from '../controls/json-field.tsx'
import { ownTypeOf } from '../controls/own-type-field.tsx'

/** What may be published, each with its name. */
export const templates = {
  message: 'A message',
  gift: 'A gift',
  turn: 'A turn in a match',
  friend_request: 'A friend request',
  friend_accepted: 'A friend has accepted',
} as const

export function isTemplate(name: string): name is keyof typeof templates {
  return Object.hasOwn(templates, name)
}

/** How long it is kept, in seconds; `now` keeps nothing. */
export const lifetimes = {
  usual: 'Until it is deleted',
  hour: 'For an hour',
  day: 'For a day',
  week: 'For a week',
  now: 'Not kept: only for who is online',
} as const

const seconds = { hour: 3_600, day: 86_400, week: 604_800 } as const

/** Where a new inbox is made; `none`: near its first caller. */
export const regions: Readonly<Record<Region | 'none', string>> = {
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

/** A notification as it is written. */
export interface Draft {
  /** `own`: a type of the game's own, with its data as JSON. */
  template: keyof typeof templates | 'own'
  title: string
  text: string
  item: string
  match: string
  /** The sender, by display name. */
  from: string
  ownType: string
  /** JSON. */
  data: string
  lifetime: keyof typeof lifetimes
  region: keyof typeof regions
}

export const FIRST_DRAFT: Draft = {
  template: 'message',
  title: 'Welcome back',
  text: 'Thank you for playing with us.',
  item: 'Golden sword',
  match: 'Castle against harbour',
  from: 'Grace',
  ownType: 'shop.gift',
  data: '{ "item": "Golden sword" }',
  lifetime: 'usual',
  region: 'none',
}

/** The type and the data of a draft. @throws TypeError when its own type or JSON is wrong */
function contentOf(draft: Draft) {
  const { template, title, text, item, match, from } = draft
  const withText = text.trim() === '' ? {} : { text }
  switch (template) {
    case 'message':
      return { type: 'studio.message', data: { title, ...withText } } as const
    case 'gift':
      return { type: 'shop.gift', data: { item, ...withText } } as const
    case 'turn':
      return { type: 'match.turn', data: { match, from } } as const
    case 'own':
      return { type: ownTypeOf(draft.ownType), data: objectOf(draft.data) }
    default:
      // The social service's numeric id of the sender. The console accepts any.
      return { type: template, data: { from_user_id: 7, from_display_name: from } }
  }
}

/** What a draft publishes. @throws TypeError when its own type or JSON is wrong */
export function publicationOf(draft: Draft) {
  const { lifetime, region } = draft
  return {
    ...contentOf(draft),
    ...(lifetime === 'now' && { persistent: false }),
    ...(lifetime !== 'now' && lifetime !== 'usual' && { expires_in: seconds[lifetime] }),
    ...(region !== 'none' && { region }),
  }
}

/** A draft as the notification that its recipients get; undefined while its own type or JSON is wrong. */
export function previewOf(draft: Draft, now: number): Notification | undefined {
  try {
    return { id: 'preview', ...contentOf(draft), state: 'unread', created_at: now }
  } catch {
    return undefined
  }
}

/** The same draft with its type and data to edit as JSON. */
export function asOwn(draft: Draft): Draft {
  if (draft.template === 'own' || draft.template.startsWith('friend')) return { ...draft, template: 'own' }
  const { type, data } = contentOf(draft)
  return { ...draft, template: 'own', ownType: type, data: JSON.stringify(data, null, 2) }
}
