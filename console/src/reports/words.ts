import type {
  Decision,
  DecisionAction,
  DecisionGround,
  ReportCategory,
  Target,
} from 'edge-game-storage-client'
import { ratings } from '../assets/rating.ts'
import { formatDay } from '../controls/format.ts'
import type { IconName } from '../controls/icon.tsx'

export const categories: Readonly<Record<ReportCategory, string>> = {
  sexual: 'Sexual content',
  violence: 'Violence',
  hate: 'Hate',
  harassment: 'Harassment',
  self_harm: 'Self-harm',
  child_safety: 'A child in danger',
  illegal_goods: 'Illegal goods',
  fraud: 'Fraud',
  privacy: 'Somebody’s private data',
  copyright: 'Copied work',
  malware: 'Malware',
  spam: 'Spam',
  other: 'Something else',
}

export const grounds: Readonly<Record<DecisionGround, string>> = { terms: 'Our terms', law: 'The law' }

export const targetIcons: Readonly<Record<Target['type'], IconName>> = {
  asset: 'box',
  file: 'file',
  user: 'user',
}

/** A thing without a known name. */
export const nouns: Readonly<Record<Target['type'], string>> = {
  asset: 'an asset',
  file: 'a file',
  user: 'a player',
}

/** What a decision says; of one that is being written, what it would say. */
export type Said = Pick<
  Decision,
  | 'target'
  | 'name'
  | 'action'
  | 'ground'
  | 'rule'
  | 'statement'
  | 'rating'
  | 'is_automated'
  | 'lifted_at'
  | 'appealable_until'
>

/** What a decision did, in words around the name of the thing: 'Maze', ' is out of the catalogue because of our terms'. */
export function headlineOf({ action, ground, rating, name, target, lifted_at }: Said) {
  const because = ground === 'law' ? 'because of the law' : 'because of our terms'
  const is = lifted_at === null ? 'is' : 'was'
  const thing = name ?? (target.type === 'user' ? 'your account' : nouns[target.type])
  const said: Record<DecisionAction, readonly [before: string, after: string]> = {
    none: ['Nothing was done about ', ''],
    warn: ['A warning about ', `, ${because}`],
    rate: ['', ` ${is} rated ${ratings[rating ?? 'everyone'].toLowerCase()} ${because}`],
    unlist: ['', ` ${is} out of the catalogue ${because}`],
    block: ['', ` ${is} blocked ${because}`],
  }
  const [before, after] = said[action]
  return { before, thing, after }
}

/** What a decision means for the owner of the thing, and what they can do. */
export function consequencesOf(said: Said, isAppealed: boolean): string[] {
  const { action, is_automated, lifted_at, appealable_until } = said
  if (action === 'none') return []
  if (lifted_at !== null) return [`This was lifted on ${formatDay(lifted_at)}, and holds no longer.`]
  const meaning: Record<DecisionAction, string> = {
    none: '',
    warn: 'Nothing has changed about it. Please mend what is said above.',
    rate: 'It can’t be given a lower rating.',
    unlist: 'Others still reach it by its link, but no list and no search shows it, and you can’t list it.',
    block: 'Only you see it. Nobody else can open or download it.',
  }
  return [
    ...(is_automated
      ? ['A machine did this, because several players have reported it. A moderator will look at it.']
      : []),
    meaning[action],
    ...(!isAppealed && appealable_until * 1_000 > Date.now()
      ? [
          `If you think that this is wrong, you can appeal until ${formatDay(appealable_until)}. Somebody else then looks at it.`,
        ]
      : []),
  ].filter((sentence) => sentence !== '')
}

/** What became of a report, for whoever made it. */
export const outcomes: Readonly<Record<DecisionAction, string>> = {
  none: 'A moderator has looked at it, and left it as it is.',
  warn: 'Its owner was warned.',
  rate: 'It has a rating now, which its owner can’t lower.',
  unlist: 'It is out of the catalogue.',
  block: 'It is blocked: only its owner sees it.',
}

/** What a decision did, in a word or two, for lists. */
export const done: Readonly<Record<DecisionAction, string>> = {
  none: 'Left as it is',
  warn: 'Warned',
  rate: 'Rated',
  unlist: 'Out of the catalogue',
  block: 'Blocked',
}
