import type { RevisionRow } from './row.ts'
import type { SaveCondition, SaveContent } from './rpc.ts'

/** Whether a condition holds for the current revision; undefined: the slot is empty (RFC 9110 §13.1.1 and §13.1.2). */
export function holds({ if_match, if_none_match }: SaveCondition, revision: number | undefined): boolean {
  if (if_match !== undefined && !names(if_match, revision)) return false
  return if_none_match === undefined || !names(if_none_match, revision)
}

function names(revisions: number[] | null, revision: number | undefined): boolean {
  return revision !== undefined && (revisions === null || revisions.includes(revision))
}

/** Whether a condition can't hold after a write under it, so that a repetition writes nothing. */
export function isSpent({ if_match, if_none_match }: SaveCondition): boolean {
  return Boolean(if_match) || if_none_match === null
}

/** The condition as a text. Two requests with the same condition have the same text. Null without a condition. */
export function textOf({ if_match, if_none_match }: SaveCondition): string | null {
  if (if_match === undefined && if_none_match === undefined) return null
  const match =
    if_match === undefined
      ? undefined
      : `follows ${if_match?.toSorted((one, other) => one - other).join() ?? '*'}`
  const exclusion = if_none_match === undefined ? undefined : `not ${if_none_match?.join() ?? '*'}`
  return [match, exclusion].filter((part) => part !== undefined).join(', ')
}

/** Whether a revision has this content, which is compared by its checksum. */
export function hasContent(row: RevisionRow, content: SaveContent): boolean {
  return (
    row.checksum_sha256 === content.checksum_sha256 &&
    row.size_bytes === content.size_bytes &&
    row.mime_type === content.mime_type &&
    row.device === content.device &&
    row.label === content.label &&
    row.played_seconds === content.played_seconds
  )
}
