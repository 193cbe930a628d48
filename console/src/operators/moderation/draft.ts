import type {
  Case,
  DecisionAction,
  DecisionGround,
  ModeratorsDecision,
  Rating,
  Studio,
} from 'edge-game-storage-client/studio'
import type { Said } from '../../reports/words.ts'

/** A decision that is being written. */
export interface Draft {
  action: DecisionAction | undefined
  rating: Rating
  ground: DecisionGround
  rule: string
  statement: string
  note: string
  /** The id of the decision that it replaces; null: none. */
  replaces: string | null
}

/** What is being written about each case. */
export type Drafts = Map<string, Draft>

const ofStudios = new WeakMap<Studio, Drafts>()

/** What a moderator is writing: it stays until they sign out, or the page is loaded again. */
export function draftsOf(studio: Studio): Drafts {
  const known = ofStudios.get(studio) ?? new Map<string, Draft>()
  ofStudios.set(studio, known)
  return known
}

/** The decision of a case that is in force. */
export function inForce({ decision }: Pick<Case, 'decision'>): ModeratorsDecision | undefined {
  return decision?.lifted_at === null ? decision : undefined
}

export function newDraft(found: Case): Draft {
  return {
    action: undefined,
    rating: 'mature',
    ground: 'terms',
    rule: '',
    statement: '',
    note: '',
    replaces: inForce(found)?.id ?? null,
  }
}

/** How long owners may appeal, in days, unless the service is configured otherwise. */
const APPEAL_DAYS = 183

/** What the owner would read of a draft. */
export function saidBy(draft: Draft, { target, name }: Case): Said {
  const { action = 'none', rating, ground, rule, statement } = draft
  return {
    target,
    name,
    action,
    ground,
    rule: rule.trim() === '' ? null : rule.trim(),
    statement: statement.trim(),
    rating: action === 'rate' ? rating : null,
    is_automated: false,
    lifted_at: null,
    appealable_until: Math.floor(Date.now() / 1_000) + APPEAL_DAYS * 86_400,
  }
}

/** The decisions that a thing takes, in words. */
export function actionsFor(
  type: Case['target']['type'],
): Partial<Record<DecisionAction, { text: string; hint?: string }>> {
  const [none, warn, block] = [
    { text: 'Leave it as it is.', hint: 'Its owner is told nothing.' },
    { text: 'Warn the owner.', hint: 'Nothing else changes.' },
    { text: 'Block it.', hint: 'Only its owner sees it.' },
  ]
  if (type === 'user')
    return {
      none: { ...none, hint: 'The player is told nothing.' },
      warn: { ...warn, text: 'Warn the player.' },
    }
  if (type === 'file') return { none, warn, block }
  return {
    none,
    warn,
    rate: { text: 'Rate it.', hint: 'Its owner can’t lower the rating.' },
    unlist: { text: 'Take it out of the catalogue.', hint: 'Who has its link still opens it.' },
    block,
  }
}
