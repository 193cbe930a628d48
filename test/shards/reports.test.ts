import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createAppeal } from '../../src/features/moderation/appeal.ts'
import { decide } from '../../src/features/moderation/decide.ts'
import { listDecisions, listReports } from '../../src/features/moderation/read.ts'
import type { Target } from '../../src/features/moderation/schema.ts'
import { eraseUser } from '../../src/operators/erasure/erase.ts'
import { openCase } from '../../src/operators/moderation/case.ts'
import type { RequestContext } from '../../src/platform/context.ts'
import type { Named } from '../../src/platform/db/database.ts'
import { asset } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { databaseNames } from '../support/databases.ts'
import { caseOf, decided, decision, reportOf } from '../support/deciding.ts'
import { newUserId, newUserIdIn } from '../support/ids.ts'
import { overridden } from '../support/meter.ts'
import { runJobIn } from '../support/objects.ts'

const page = { limit: 50, cursor: undefined }
const again = ({ user_id }: RequestContext) => contextOf(user_id)

/** Erases a user, and runs every job until nothing is left of the erasure. */
async function erased(user: RequestContext): Promise<void> {
  await eraseUser(again(user), user.user_id)
  await finished()
}

async function finished(): Promise<void> {
  await runJobIn(0)
  await runJobIn(0.01)
}

/** A public asset of a user whose home is this database, as the target of a report. */
async function targetIn(database: string) {
  const owner = contextOf(newUserIdIn(database))
  const { id } = await asset(owner, 'castle', 'public')
  return { owner, target: { type: 'asset' as const, id } }
}

/** The rows of moderation that name a user, or have a text of theirs. */
async function tracesOf(user_id: string): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    `SELECT 'case' AS kind, id FROM cases WHERE owner_id = ?1 OR decision ->> 'owner_id' = ?1
     UNION ALL SELECT 'report', id FROM reports WHERE reporter_id = ?1
     UNION ALL SELECT 'decision', id FROM decisions WHERE owner_id = ?1
     UNION ALL SELECT 'appeal', id FROM appeals WHERE user_id = ?1`,
  )
    .bind(user_id)
    .all()
  return results
}

/** A promise, and what resolves it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** A context whose first write to the first database waits: `arrived` when it does, until `goOn`. */
function late(user_id: string, different: Partial<RequestContext> = {}) {
  const [arrived, free] = [gate(), gate()]
  const databases = databasesOver()
  const { common } = databases
  const write = async (statements: Named) => {
    arrived.open()
    await free.opened
    return common.write(statements)
  }
  const waiting = overridden(databases, { common: overridden(common, { write }) })
  return {
    context: contextOf(user_id, { databases: waiting, ...different }),
    arrived: arrived.opened,
    goOn: free.open,
  }
}

/** The first database has what moderators write. The others are alike. */
const [first, second, ...others] = databaseNames
describe.each([first, second])('of a user whose home is %s', ofHome)
describe.each(others)('of a user whose home is %s', { tags: 'release' }, ofHome)

function ofHome(name = '') {
  it('a report right after the reporter’s erasure stays theirs, and those before go', async () => {
    const reporter = contextOf(newUserIdIn(name))
    const [before, after] = [await targetIn('DB_1'), await targetIn('DB_2')]
    await reportOf(before.target, again(reporter), { text: 'before' })
    await eraseUser(again(reporter), reporter.user_id)
    const { report } = await reportOf(after.target, again(reporter), { text: 'after' })
    await finished()
    const { rows } = await listReports(again(reporter), page)
    expect(rows).toMatchObject([{ id: report.id, text: 'after' }])
  })

  it('an appeal right after the reporter’s erasure stays theirs', async () => {
    const reporter = contextOf(newUserIdIn(name))
    const { target } = await targetIn('DB_1')
    await eraseUser(again(reporter), reporter.user_id)
    await reportOf(target, again(reporter))
    const { id } = await decided(await caseOf(target), 'none')
    await createAppeal(again(reporter), id, 'Look again.')
    await finished()
    expect(await tracesOf(reporter.user_id)).toMatchObject([{ kind: 'report' }, { kind: 'appeal' }])
  })

  it('a decision about what was made right after the owner’s erasure keeps its owner', async () => {
    const { owner, target } = await targetIn(name)
    await reportOf(target)
    await decided(await caseOf(target), 'warn')
    await eraseUser(again(owner), owner.user_id)
    const { id } = await asset(again(owner), 'another', 'public')
    const of = { type: 'asset' as const, id }
    await reportOf(of)
    const made = await decided(await caseOf(of), 'warn')
    await finished()
    const { rows } = await listDecisions(again(owner), page)
    expect(rows).toMatchObject([{ id: made.id, name: 'another' }])
    expect(await tracesOf(owner.user_id)).toMatchObject([{ kind: 'case' }, { kind: 'decision' }])
  })

  const acts = [
    ['a report', reportOf],
    ['the opening of a case', (target: Target, by: RequestContext) => openCase(by, target)],
  ] as const

  it.each(acts)('%s that meets the owner’s erasure names nobody when that has ended', async (_, act) => {
    const { owner, target } = await targetIn(name)
    const { context, arrived, goOn } = late(newUserId())
    const made = act(target, context)
    await arrived
    await eraseUser(again(owner), owner.user_id)
    goOn()
    await made
    expect(await tracesOf(owner.user_id)).toMatchObject([{ kind: 'case' }])
    await finished()
    expect(await tracesOf(owner.user_id)).toEqual([])
  })

  it.each(acts)('%s that is written long after its look at the thing is refused', async (_, act) => {
    const { owner, target } = await targetIn(name)
    const { context, arrived, goOn } = late(newUserId(), { now_ms: Date.now() - 12_000 })
    const made = act(target, context)
    await arrived
    await erased(owner)
    goOn()
    await expect(made).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await tracesOf(owner.user_id)).toEqual([])
  })

  it('a decision that meets the owner’s erasure keeps neither owner nor name', async () => {
    const { owner, target } = await targetIn(name)
    const case_id = await caseOf(target)
    const { context, arrived, goOn } = late(newUserId())
    const made = decide(context, case_id, decision('warn'))
    await arrived
    await erased(owner)
    goOn()
    const { id } = await made
    const row = await env.DB.prepare('SELECT owner_id, name FROM decisions WHERE id = ?').bind(id).first()
    expect(row).toEqual({ owner_id: null, name: null })
  })
}
