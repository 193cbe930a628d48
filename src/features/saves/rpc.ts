import type { recallOutcomes } from '../../platform/db/enumerations.ts'
import type { QuotaMembers } from '../../platform/errors.ts'
import type { Recall } from './recalls/row.ts'
import type { ListedSave, Save, SaveRevision } from './schema.ts'

/**
 * The calls between the Worker and a user's saves. This file has only types, so that callers don't load the object's class.
 */

declare module '../../platform/config/env.ts' {
  interface Env {
    SAVES: DurableObjectNamespace<SavesMethods>
  }
}

declare module '../../platform/errors.ts' {
  interface ErrorMembers {
    /** With PRECONDITION_FAILED for a save: the save that is there. */
    current?: Save | undefined
    /** With PRECONDITION_FAILED and `keep=true`: the revision that has the bytes of the request. */
    kept_revision?: number | undefined
  }
}

/** The limits of a player's slots, or of those of the studio's servers. */
export interface SlotLimits {
  max_slots: number
  /** The room for all revisions together. */
  limit_bytes: number
}

/**
 * The time and the limits for a call, because the object reads no configuration. Optional members are missing in the calls of older
 * Workers.
 */
export interface SaveRules extends SlotLimits {
  /** Unix seconds. */
  now: number
  retention_days: number
  /** The revisions that a slot keeps. */
  max_revisions: number
  /** The UTC days before a write of which a slot keeps the last revision beside these. */
  max_days?: number
  /** The limits of the slots that the studio's servers write. */
  of_servers?: SlotLimits
  /** Whether a list has the hidden slots, and the room of the slots of the studio's servers. */
  shows_all?: boolean
  /** The recalls in force, by their numbers. Missing when there is none. */
  recalls?: readonly Recall[]
}

/** The condition of a request, as revisions: null means any, undefined that there is no condition. */
export interface SaveCondition {
  if_match?: number[] | null | undefined
  if_none_match?: number[] | null | undefined
}

/** The stored metadata of a write. */
export type SaveContent = Pick<
  Save,
  'size_bytes' | 'mime_type' | 'checksum_sha256' | 'device' | 'label' | 'played_seconds'
>

/** A write of a slot. */
export interface SaveWrite extends SaveCondition {
  slot: string
  content: SaveContent
  bytes: ArrayBuffer
  /** Whether the bytes stay when the condition does not hold. */
  keep: boolean
  idempotency_key: string | null
}

/** A request that changed nothing, except that a write with `keep` may have added `kept_revision`. */
export interface SaveRefusal {
  error:
    | 'PRECONDITION_FAILED'
    | 'IDEMPOTENCY_KEY_REUSED'
    | 'SAVE_NOT_FOUND'
    | 'SAVE_REVISION_NOT_FOUND'
    | 'LIMIT_REACHED'
    | 'QUOTA_EXCEEDED'
  current?: Save | undefined
  kept_revision?: number | undefined
  /** With QUOTA_EXCEEDED. */
  quota?: QuotaMembers
}

/** The result of a write. */
export type Written = { save: Save; is_new: boolean; error?: never } | SaveRefusal
/** The result of a restore. */
export type Restored = { save: Save; error?: never } | SaveRefusal
/** The result of a read. Without bytes, the caller has the revision. */
export type ReadResult = { save: Save; bytes: ArrayBuffer | undefined; error?: never } | SaveRefusal
/** The result of a list of slots. */
export type SlotList = {
  saves: ListedSave[]
  used_bytes: number
  /** With `shows_all`. */
  server_used_bytes?: number
  error?: never
}
/** The result of a list of revisions. */
export type History = { revisions: SaveRevision[]; error?: never } | SaveRefusal
/** A revision that a request wrote before its isolate knew the recalls. */
export interface UnawareWrite {
  slot: string
  revision: number
}

/** What a recall comes to for a slot. */
export type RecallOutcome = (typeof recallOutcomes)[number]

/** What a recall would come to for a player's slots. */
export interface RecallForecast {
  /** Whether the saves have applied it: then nothing more happens. */
  is_applied: boolean
  slots: {
    slot: string
    outcome: RecallOutcome
    /** The current revision, and the one whose content would become current. */
    revision: number
    to_revision: number | null
  }[]
}

/** The result of a deletion. */
export type Removed = { error?: never } | SaveRefusal

/** The methods of the object with a user's saves (`saves.ts`). */
export interface SavesMethods extends Rpc.DurableObjectBranded {
  /** All slots, or the deleted ones, the latest first, with the bytes of all revisions. */
  list(deleted: boolean, rules: SaveRules): SlotList
  /** A revision with its bytes; by default the current one. */
  read(slot: string, revision: number | undefined, condition: SaveCondition, rules: SaveRules): ReadResult
  /** The revisions of a slot, newest first. */
  revisions(slot: string, rules: SaveRules): History
  /** Writes a revision. */
  write(write: SaveWrite, rules: SaveRules): Written
  /** The same on behalf of the player, by `writer`. */
  writeFor(writer: string, write: SaveWrite, rules: SaveRules): Written
  /** Makes a new revision with the content of another, and brings a deleted slot back. */
  restore(slot: string, revision: number | undefined, condition: SaveCondition, rules: SaveRules): Restored
  /** The same on behalf of the player, by `writer`. */
  restoreFor(
    writer: string,
    slot: string,
    revision: number | undefined,
    condition: SaveCondition,
    rules: SaveRules,
  ): Restored
  /** Deletes a slot. */
  remove(slot: string, condition: SaveCondition, rules: SaveRules): Removed
  /** Applies the recalls of the rules, of which `unaware` may have known nothing. Each other method does so, too, before its own work. */
  recall(rules: SaveRules, unaware?: UnawareWrite): void
  /** What the recall with this id would come to, after the others of the rules with lower numbers. Changes nothing. */
  forecast(recall_id: string, rules: SaveRules): RecallForecast
  /** Deletes everything, once for each `erasure_id`. Returns the number of deleted revisions. */
  erase(erasure_id: string): number
}
