import type { Answer } from '../../support/exchange.ts'
import type { Item } from './files.ts'

/** In an expected record: the answer may have `true`, or lack the member. */
export const EITHER = 'true or absent'

/** An item as a user sees it. */
export interface ShownItem extends Item {
  shared: boolean | typeof EITHER
}

/** Records as answers have them (docs/conformance.md): what is not taken out here is in all of them. */
export function changedRecord(item: ShownItem, isTop = false) {
  const { mime_type, processing_state, ...record } = fileRecord(item, isTop)
  return record
}

export function fileRecord(item: ShownItem, isTop = false) {
  const {
    trashed_at,
    content,
    changes,
    etags,
    blocked,
    measure,
    has_hidden_shares,
    shared,
    parent_id,
    ...record
  } = item
  return {
    ...record,
    parent_id: isTop ? null : parent_id,
    ...(blocked && { blocked }),
    ...(shared && { shared }),
  }
}

export function listedRecord(item: ShownItem) {
  return { ...fileRecord(item), ...(item.asset_type === 'folder' && { shortcode: null }) }
}

/** What is expected, with the answer's choice wherever it has one. */
export function decided(expected: unknown, answer: unknown): unknown {
  if (typeof expected !== 'object' || expected === null || typeof answer !== 'object' || answer === null)
    return expected
  if (Array.isArray(expected))
    return expected.map((one, at) => decided(one, Array.isArray(answer) ? answer[at] : undefined))
  if ('asymmetricMatch' in expected) return expected
  const given = new Map<string, unknown>(Object.entries(answer))
  const isChosen = ([name, value]: [string, unknown]) => value !== EITHER || given.has(name)
  const members = Object.entries(expected).filter(isChosen)
  return Object.fromEntries(
    members.map(([name, value]) => [name, value === EITHER ? true : decided(value, given.get(name))]),
  )
}

interface Shown {
  id?: unknown
  mime_type: unknown
}

/** The answer with some files as pending, if they are processing. */
export function settled(answer: Answer, isPending: (file: Shown) => boolean): Answer {
  const body: unknown = JSON.parse(answer.text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('mime_type' in value)) return value
    const isProcessing = 'processing_state' in value && value.processing_state === 'processing'
    return isProcessing && isPending(value) ? { ...value, processing_state: 'pending' } : value
  })
  return { ...answer, text: JSON.stringify(body), body }
}
