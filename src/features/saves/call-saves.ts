import { insufficientScope } from '../../platform/auth/authenticate.ts'
import { type LaterContext, type SavesContext, seconds } from '../../platform/context.ts'
import { keyReused } from '../../platform/db/idempotency.ts'
import { ApiError, limitReached, quotaExceeded, unavailable } from '../../platform/errors.ts'
import { callObject } from '../../platform/lib/durable-object.ts'
import { logWarning } from '../../platform/lib/log.ts'
import { isServerSlot, requireReadable, requireWritable } from './access.ts'
import { isSpent } from './condition.ts'
import { knownRecalls } from './recalls/known.ts'
import { findRecall, listOf, type Recalls, wholeList } from './recalls/row.ts'
import type {
  History,
  ReadResult,
  RecallForecast,
  Removed,
  Restored,
  SaveCondition,
  SaveContent,
  SaveRefusal,
  SaveRules,
  SavesMethods,
  SaveWrite,
  SlotList,
  UnawareWrite,
  Written,
} from './rpc.ts'
import type { Save, SaveList, SaveRevision } from './schema.ts'

/**
 * Calls a user's saves. An idempotent call may be repeated.
 *
 * @throws UNAVAILABLE when the object cannot be reached or does not answer in time
 */
export function callSaves<Answer>(
  ctx: Pick<SavesContext, 'saves' | 'config'>,
  user_id: string,
  call: (saves: DurableObjectStub<SavesMethods>) => Promise<Answer>,
  isIdempotent: boolean,
): Promise<Answer> {
  return callObject({
    stub: () => ctx.saves.getByName(user_id),
    call,
    isIdempotent,
    timeout_ms: ctx.config.CALL_TIMEOUT_MS,
    unanswered: (cause) => unavailable('The saves did not answer. Try again.', cause),
  })
}

/**
 * Calls the caller's saves with the time and the limits of the request, and with the recalls that this isolate knows. An idempotent
 * call may be repeated.
 *
 * @throws the error of a refusal; UNAVAILABLE
 */
async function callOwnSaves<Answer extends { error?: never; save?: Save }>(
  ctx: SavesContext,
  call: (saves: DurableObjectStub<SavesMethods>, rules: SaveRules) => Promise<Answer | SaveRefusal>,
  isIdempotent: boolean,
  slot = '',
): Promise<Answer> {
  const { list, isDue } = knownRecalls.look(ctx)
  const rules = rulesOf(ctx, list)
  let written: UnawareWrite | undefined
  try {
    const answer = await callSaves(ctx, ctx.user_id, (saves) => call(saves, rules), isIdempotent)
    // The answer to a read or to a repetition has a revision that was written before.
    if (answer.error === undefined && answer.save?.updated_at === rules.now) written = answer.save
    return accepted(answer, slot)
  } finally {
    const isUnaware = list === undefined && written !== undefined
    if (isDue || isUnaware) ctx.afterwards((later) => passOn(later, ctx, list?.version ?? 0, written))
  }
}

/**
 * Reads the list of recalls after the answer, and has the saves apply what the request didn't know. Otherwise a device that writes once
 * a year, to a new isolate each time, would never meet a recall. `written` is what the request has written.
 */
async function passOn(
  later: LaterContext,
  ctx: SavesContext,
  known_version: number,
  written: UnawareWrite | undefined,
): Promise<void> {
  try {
    const list = await knownRecalls.read(later)
    if (list.version <= known_version || list.recalls.length === 0) return
    const rules = rulesOf({ ...ctx, now_ms: later.now_ms }, list)
    const unaware = written && { slot: written.slot, revision: written.revision }
    await callSaves(later, ctx.user_id, async (saves) => saves.recall(rules, unaware), true)
  } catch (error) {
    logWarning('recalls were not passed on', { error: String(error) })
  }
}

function rulesOf(ctx: SavesContext, known: Recalls | undefined): SaveRules {
  const { config } = ctx
  const recalls = known?.recalls ?? []
  return {
    now: seconds(ctx),
    retention_days: config.TRASH_RETENTION_DAYS,
    max_slots: config.MAX_SAVE_SLOTS,
    max_revisions: config.SAVE_REVISIONS,
    max_days: config.SAVE_DAYS,
    limit_bytes: config.SAVE_BYTES,
    of_servers: { max_slots: config.MAX_SERVER_SLOTS, limit_bytes: config.SERVER_SAVE_BYTES },
    ...(ctx.acting?.reads_as_studio && { shows_all: true }),
    ...(recalls.length > 0 && { recalls }),
  }
}

/** The answer, unless it is a refusal of a request for `slot`. @throws the error of the refusal */
function accepted<Answer extends { error?: never }>(answer: Answer | SaveRefusal, slot: string): Answer {
  if (answer.error === undefined) return answer
  const { error, current, kept_revision, quota } = answer
  if (error === 'LIMIT_REACHED') throw limitReached(isServerSlot(slot) ? 'server_slots' : 'save_slots')
  if (quota) {
    const advice =
      quota.used_bytes > 0 ? 'The saves of other slots have the rest: delete one.' : 'Write less.'
    throw quotaExceeded(quota, { advice })
  }
  if (error === 'IDEMPOTENCY_KEY_REUSED') throw keyReused()
  if (error !== 'PRECONDITION_FAILED') throw new ApiError(error)
  const detail = current
    ? `The save is at revision ${current.revision}.`
    : 'The slot is empty, so that it has no revision to match.'
  throw new ApiError(error, { detail, current, kept_revision })
}

/** All slots of the caller's, or the deleted ones, the latest first. */
export async function listSaves(ctx: SavesContext, deleted: boolean): Promise<SaveList> {
  const list = await callOwnSaves(
    ctx,
    async (saves, rules): Promise<SlotList> => saves.list(deleted, rules),
    true,
  )
  return listAnswer(ctx, list)
}

function listAnswer(ctx: SavesContext, { saves, used_bytes, server_used_bytes }: SlotList): SaveList {
  const { SAVE_BYTES: limit_bytes, SERVER_SAVE_BYTES: server_limit_bytes } = ctx.config
  const list = { saves, used_bytes, limit_bytes }
  return server_used_bytes === undefined ? list : { ...list, server_used_bytes, server_limit_bytes }
}

/**
 * All slots of the caller's, and what a recall would come to for them: nothing once it has ended. Changes nothing.
 *
 * @throws FORBIDDEN, RECALL_NOT_FOUND
 */
export async function listSavesBeforeRecall(
  ctx: SavesContext & Pick<LaterContext, 'databases'>,
  deleted: boolean,
  recall_id: string,
): Promise<SaveList> {
  if (!ctx.acting?.reads_as_support) throw insufficientScope('players:read')
  const [[found], version, rows] = await ctx.databases.first.send([findRecall(recall_id), ...wholeList()])
  if (!found) throw new ApiError('RECALL_NOT_FOUND')
  const before = listOf(version, rows).recalls.filter(({ number }) => number <= found.number)
  const rules = rulesOf(ctx, undefined)
  const [list, recall] = await Promise.all([
    callSaves(ctx, ctx.user_id, async (saves): Promise<SlotList> => saves.list(deleted, rules), true),
    callSaves(
      ctx,
      ctx.user_id,
      async (saves): Promise<RecallForecast> => saves.forecast(recall_id, { ...rules, recalls: before }),
      true,
    ),
  ])
  return { ...listAnswer(ctx, list), recall }
}

/**
 * A revision of a slot with its bytes; without them when the condition says that the caller has them.
 *
 * @throws SAVE_NOT_FOUND, SAVE_REVISION_NOT_FOUND
 */
export async function readSave(
  ctx: SavesContext,
  slot: string,
  revision: number | undefined,
  condition: SaveCondition,
): Promise<{ save: Save; bytes: ArrayBuffer | undefined }> {
  requireReadable(ctx, slot)
  return callOwnSaves(
    ctx,
    async (saves, rules): Promise<ReadResult> => saves.read(slot, revision, condition, rules),
    true,
  )
}

/** The revisions of a slot, newest first. @throws SAVE_NOT_FOUND */
export async function listRevisions(ctx: SavesContext, slot: string): Promise<{ revisions: SaveRevision[] }> {
  requireReadable(ctx, slot)
  return callOwnSaves(ctx, async (saves, rules): Promise<History> => saves.revisions(slot, rules), true)
}

/** The metadata that a client sends with the bytes. */
type Metadata = Omit<SaveContent, 'size_bytes'>

/**
 * Writes a slot of the caller's. A write with a key, or with a condition that no longer holds afterwards, can be repeated: the
 * repetition gets the first answer.
 *
 * @throws SAVE_READ_ONLY, PRECONDITION_FAILED, IDEMPOTENCY_KEY_REUSED, LIMIT_REACHED, QUOTA_EXCEEDED
 */
export async function writeSave(
  ctx: SavesContext,
  request: Omit<SaveWrite, 'content'>,
  metadata: Metadata,
): Promise<{ save: Save; is_new: boolean }> {
  requireWritable(ctx, request.slot)
  const content = { ...metadata, size_bytes: request.bytes.byteLength }
  const call = { ...request, content }
  const writer = ctx.acting?.user_id
  return callOwnSaves(
    ctx,
    async (saves, rules): Promise<Written> =>
      writer === undefined ? saves.write(call, rules) : saves.writeFor(writer, call, rules),
    request.idempotency_key !== null || isSpent(request),
    request.slot,
  )
}

/**
 * Makes a new revision of a slot with the content of another, and brings a deleted slot back.
 *
 * @throws SAVE_READ_ONLY, SAVE_NOT_FOUND, SAVE_REVISION_NOT_FOUND, PRECONDITION_FAILED, LIMIT_REACHED, QUOTA_EXCEEDED
 */
export async function restoreSave(
  ctx: SavesContext,
  slot: string,
  revision: number | undefined,
  condition: SaveCondition,
): Promise<Save> {
  requireWritable(ctx, slot)
  const isRepeatable = revision === undefined || isSpent(condition)
  const writer = ctx.acting?.user_id
  const { save } = await callOwnSaves(
    ctx,
    async (saves, rules): Promise<Restored> =>
      writer === undefined
        ? saves.restore(slot, revision, condition, rules)
        : saves.restoreFor(writer, slot, revision, condition, rules),
    isRepeatable,
    slot,
  )
  return save
}

/**
 * Deletes a slot of the caller's. It can be restored for TRASH_RETENTION_DAYS, unless its room is needed before.
 *
 * @throws SAVE_READ_ONLY, SAVE_NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteSave(ctx: SavesContext, slot: string, condition: SaveCondition): Promise<void> {
  requireWritable(ctx, slot)
  await callOwnSaves(
    ctx,
    async (saves, rules): Promise<Removed> => saves.remove(slot, condition, rules),
    false,
  )
}
