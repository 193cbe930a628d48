import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { decide } from '../../src/features/moderation/decide.ts'
import { sendDueNotices } from '../../src/features/moderation/notices.ts'
import { asset } from '../support/acts.ts'
import { contextOf, databasesOver } from '../support/context.ts'
import { countOf, overEvery } from '../support/databases.ts'
import { caseOf, caseRow, decided, decision } from '../support/deciding.ts'
import { newUserId } from '../support/ids.ts'
import { everything } from '../support/inbox.ts'
import { expectSound } from '../support/invariants.ts'
import { meteredDatabase, overridden } from '../support/meter.ts'
import { jobIn, runJobIn } from '../support/objects.ts'

const MINUTES = 1 / 24 / 60

/** A case with as many open reports of different users. */
async function reported(count: number) {
  const ada = contextOf(newUserId())
  const { id } = await asset(ada, 'castle', 'public')
  const case_id = await caseOf({ type: 'asset', id })
  const reporters = Array.from({ length: count }, () => newUserId())
  await env.DB.prepare(
    `INSERT INTO reports (id, case_id, reporter_id, target_type, target_id, category, is_illegal, created_at)
     SELECT printf('%s %05d', ?1, key), ?1, value, 'asset', ?2, 'hate', 0, 1000 FROM json_each(?3)`,
  )
    .bind(case_id, id, JSON.stringify(reporters))
    .run()
  return { ada, case_id, reporters }
}

/** Decides, and returns how many rows that has read and written. */
async function costOf(case_id: string) {
  const cost = { rows_read: 0, rows_written: 0 }
  const bindings = overEvery((database) =>
    meteredDatabase(database, (results) => {
      for (const { meta } of results) {
        cost.rows_read += meta.rows_read
        cost.rows_written += meta.rows_written
      }
    }),
  )
  await decide(contextOf(newUserId(), { databases: databasesOver(bindings) }), case_id, decision('warn'))
  return cost
}

/** How often each of these users has been told what became of a report. */
const told = (users: string[]) =>
  Promise.all(
    users.map(async (user_id) => {
      const { notifications } = await env.INBOX.getByName(user_id).list(everything)
      return notifications.filter(({ type }) => type === 'moderation.report_decided').length
    }),
  )

it('a decision costs the same, whether it ends one report or a thousand', async () => {
  const [one, many] = [await reported(1), await reported(1_000)]
  const [costs, expected] = [await costOf(many.case_id), await costOf(one.case_id)]
  expect(costs.rows_written).toBe(expected.rows_written)
  expect(costs.rows_read).toBeLessThan(expected.rows_read + 10)
  await env.DB.exec('DELETE FROM moderation_notices')
  expect(await caseRow(many.case_id)).toMatchObject({ state: 'decided', report_count: 0 })
  await expectSound(many.ada.user_id)
})

it('the job tells each of many reporters once, also the one whose inbox fails at first', async () => {
  const { case_id, reporters } = await reported(45)
  await decided(case_id, 'warn')
  const [slow = ''] = reporters
  const job = jobIn(2 * MINUTES)
  const failing = overridden(job.inboxes, {
    getByName: (name: string) => {
      if (name === slow) throw new Error('away')
      return job.inboxes.getByName(name)
    },
  })
  // The owner too, with the first ones.
  const sent = []
  for (let step = 0; step < 4; step++) sent.push(await sendDueNotices({ ...job, inboxes: failing }))
  expect(sent).toEqual([20, 20, 5, 0])
  expect(await told(reporters)).toEqual(reporters.map((id) => Number(id !== slow)))
  await runJobIn(8 * MINUTES)
  expect(await told(reporters)).toEqual(reporters.map(() => 1))
  expect(await countOf('moderation_notices')).toBe(0)
})

it('an old case with many reports is deleted step by step', async () => {
  const { case_id } = await reported(1_200)
  await decided(case_id, 'none')
  await runJobIn(731)
  expect(await countOf('cases WHERE id = ?', case_id)).toBe(0)
  expect(await countOf('reports WHERE case_id = ?', case_id)).toBe(0)
})
