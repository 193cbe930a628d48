import { type Field, fieldsOf, inWords, shortened, textAmong } from './data.ts'

type Icon =
  | 'bell'
  | 'dice'
  | 'file'
  | 'gift'
  | 'globe'
  | 'message'
  | 'share'
  | 'shield'
  | 'tag'
  | 'trophy'
  | 'user'
  | 'wrench'

/** What a notification says to people (docs/console.md#what-a-notification-says). */
export interface WhatHappened {
  icon: Icon
  /** What happened, up to the name of what or whom it is about: 'Gift: '. */
  title: string
  /** What or whom it is about: 'Golden sword'. */
  about?: string | undefined
  text?: string | undefined
  from?: string | undefined
  /** The rest of the data. */
  fields: readonly Field[]
  /** The screen with what it is about, and what of that screen. */
  at?: { screen: 'shared' | 'discover' | 'safety'; path: readonly string[]; title: string } | undefined
}

/** What happened: a sentence of its own for each type of the service, and by simple rules for the types of a game. */
export function whatHappened({ type, data }: { type: string; data: object }): WhatHappened {
  const text = (name: string) => shortened(textAmong(data, [name])?.text ?? 'somebody')
  if (type === 'friend_request')
    return { icon: 'share', title: 'Friend request from ', about: text('from_display_name'), fields: [] }
  if (type === 'friend_accepted')
    return { icon: 'user', title: 'You are friends now: ', about: text('from_display_name'), fields: [] }
  if (type === 'file.shared')
    return {
      ...{ icon: 'file', title: 'A file was shared with you: ', about: text('name'), from: text('owner_id') },
      fields: [],
      at: { screen: 'shared', path: [], title: 'Open Shared with me' },
    }
  return ofModerators(type, data) ?? ofTheGame(type, data)
}

/** What a decision of a moderator did, before the name of its thing. */
const decisions: ReadonlyMap<string, string> = new Map([
  ['warn', 'A moderator’s warning about '],
  ['rate', 'Rated by a moderator: '],
  ['unlist', 'Taken out of the catalogue: '],
  ['block', 'Blocked by a moderator: '],
])

/** What became of a report. */
const reports: ReadonlyMap<string, string> = new Map([
  ['none', 'left as it is'],
  ['warn', 'its owner was warned'],
  ['rate', 'it has a rating now'],
  ['unlist', 'it is out of the catalogue'],
  ['block', 'it is blocked'],
])

/** The notifications about decisions, reports and appeals. */
function ofModerators(type: string, data: object): WhatHappened | undefined {
  const text = (name: string) => textAmong(data, [name])?.text
  const [decision_id = '', report_id = '', action = ''] = ['decision_id', 'report_id', 'action'].map(text)
  const of = (title: string, about: string | undefined, part: string, id: string, link: string) => ({
    ...{ icon: 'shield' as const, title, about, fields: [] },
    at: { screen: 'safety' as const, path: [part, id], title: link },
  })
  if (type === 'moderation.decision')
    return of(
      decisions.get(action) ?? 'A moderator has decided about ',
      shortened(text('name') ?? 'your account'),
      ...(['decisions', decision_id, 'Read why, and what you can do'] as const),
    )
  if (type === 'moderation.report_decided')
    return of(
      `Your report was looked at: ${reports.get(action) ?? 'it is decided'}`,
      ...([undefined, 'reports', report_id, 'Open the report'] as const),
    )
  if (type === 'moderation.appeal_decided')
    return of(
      text('outcome') === 'reversed'
        ? 'Your appeal was right: the decision is lifted'
        : 'Your appeal was turned down: the decision stays',
      ...([undefined, 'decisions', decision_id, 'Read the answer'] as const),
    )
  return undefined
}

/** A notification as one text, for screen readers. */
export function sentenceOf({ title, about = '', text }: WhatHappened): string {
  return text === undefined ? title + about : `${title}${about}. ${text}`
}

const TITLES = ['title', 'subject']
const NAMES = ['name', 'display_name', 'item', 'item_name']
const TEXTS = ['text', 'message', 'body', 'description']
const SENDERS = ['from_display_name', 'from_name', 'from', 'sender']

function ofTheGame(type: string, data: object): WhatHappened {
  const parts = type.split('.')
  // A gift may be named in a member of that name, a turn in one of the match.
  const own = parts.toReversed().flatMap((part) => [part, `${part}_name`])
  const title = textAmong(data, TITLES)
  const name = title ?? textAmong(data, [...NAMES, ...own]) ?? wordsOfId(data, parts)
  const text = textAmong(data, TEXTS)
  const from = textAmong(data, SENDERS)
  const said = new Set([name, text, from].flatMap((one) => one?.name ?? []))
  const asset = textAmong(data, ['asset_id'])
  return {
    icon: iconOf(parts),
    title: title ? '' : `${kindOf(type)}${name ? ': ' : ''}`,
    about: name && shortened(name.text),
    text: text?.text,
    from: from && shortened(from.text),
    fields: fieldsOf(data, said),
    at: asset && { screen: 'discover', path: [asset.text], title: 'Open the asset' },
  }
}

/** Kinds whose last word alone would say too little. */
const kinds: ReadonlyMap<string, string> = new Map([['turn', 'Your turn']])

/** A type in words: 'Gift' for `shop.gift`, 'World branched' for `world.branched`. */
export function kindOf(type: string): string {
  const parts = type.split('.')
  const last = parts.at(-1) ?? type
  const known = kinds.get(last)
  if (known !== undefined) return known
  // What was done says little without what it was done to.
  return inWords(/ed$/.test(last) ? parts.slice(-2).join(' ') : last)
}

/** An id that consists of words, as `gift_id: "golden-sword"`. */
function wordsOfId(data: object, parts: readonly string[]): { name: string; text: string } | undefined {
  const names = ['item', ...parts.toReversed()].map((part) => `${part}_id`)
  const id = textAmong(data, names)
  return id && /^[a-z]+([-_][a-z]+)*$/i.test(id.text) ? { name: id.name, text: inWords(id.text) } : undefined
}

/** Icons, each with words of the types that have it. */
const icons: readonly (readonly [RegExp, Icon])[] = [
  [/gift|reward|prize|loot|bonus/, 'gift'],
  [/achievement|trophy|rank|season|tournament|won/, 'trophy'],
  [/turn|match|game|battle|challenge/, 'dice'],
  [/message|chat|mail|news|letter|comment|text/, 'message'],
  [/maintenance|outage|update|patch/, 'wrench'],
  [/shop|sale|offer|purchase|order/, 'tag'],
  [/friend|follow|invit|guild|party|team|player/, 'user'],
  [/block|report|moderat|ban|warn/, 'shield'],
  [/world|map|level|asset|branch|version/, 'globe'],
  [/file|save|upload|share/, 'file'],
]

/** The icon of a type, by the words of its last part first. */
function iconOf(parts: readonly string[]): Icon {
  for (const part of parts.toReversed()) {
    const found = icons.find(([words]) => words.test(part))
    if (found) return found[1]
  }
  return 'bell'
}
