import { createAppeal } from '../../../src/features/moderation/appeal.ts'
import { contextOf } from '../../support/context.ts'
import { caseOf, decided, reportOf } from '../../support/deciding.ts'
import type { Scene } from './scene.ts'
import { stockAsset } from './stock.ts'
import type { Scenario } from './trial.ts'

/** What is asked of moderation. Ada owns an asset; Bob reports it, and has the scopes of a moderator. */

const headers = { 'Idempotency-Key': 'key' }

/** Another moderator than those who ask. */
const MODERATOR = 'moderator-of-the-faults'

async function target(scene: Scene) {
  const { id } = scene.named('castle', await stockAsset(scene.ada, scene.ada.user_id, 'public'))
  return { type: 'asset' as const, id }
}

/** A case about Ada's asset, which Bob has reported. */
async function reported(scene: Scene) {
  const about = await target(scene)
  const { report } = await reportOf(about, contextOf(scene.bob.user_id))
  scene.named('report', report)
  const { id } = scene.named('case', { id: await caseOf(about) })
  return { id, report: report.id }
}

/** The same, which somebody has decided. */
async function unlisted(scene: Scene) {
  const { id, report } = await reported(scene)
  const decision = scene.named('decision', await decided(id, 'unlist'))
  return { id, report, decision: decision.id }
}

/** The same, which Ada has appealed against. */
async function appealed(scene: Scene) {
  const found = await unlisted(scene)
  const ada = contextOf(scene.ada.user_id)
  scene.named('appeal', await createAppeal(ada, found.decision, 'It is the sign of my guild.'))
  return found
}

/** A moderator reads something, or changes it. */
const asModerator = (
  name: string,
  pathOf: (scene: Scene) => Promise<string>,
  more: { method?: string; json?: unknown; headers?: Record<string, string> } & Partial<Scenario> = {},
): Scenario => {
  const { method = 'GET', json, headers, ...scenario } = more
  return {
    name,
    ...scenario,
    prepare: async (scene) => ({
      by: scene.bob,
      method,
      path: `/moderation${await pathOf(scene)}`,
      ...(json !== undefined && { json }),
      ...(headers && { headers }),
    }),
  }
}

const asAda = (name: string, pathOf: (scene: Scene) => Promise<string>, json?: unknown): Scenario => ({
  name,
  prepare: async (scene) => ({
    method: json === undefined ? 'GET' : 'POST',
    path: await pathOf(scene),
    ...(json !== undefined && { json }),
  }),
})

const pathOfCase = async (scene: Scene) => `/cases/${(await appealed(scene)).id}`

const verdict = { action: 'block', ground: 'terms', statement: 'A slogan on the wall.' }

export const ofModeration: Record<string, Scenario[]> = {
  createReport: [
    {
      name: 'of an asset',
      prepare: async (scene) => ({
        by: scene.bob,
        method: 'POST',
        path: '/reports',
        json: { target: await target(scene), category: 'hate' },
        headers,
      }),
    },
  ],
  listReports: [
    {
      name: 'one',
      prepare: async (scene) => {
        await unlisted(scene)
        return { by: scene.bob, method: 'GET', path: '/reports' }
      },
    },
  ],
  getReport: [
    {
      name: 'decided',
      prepare: async (scene) => {
        const { report } = await unlisted(scene)
        return { by: scene.bob, method: 'GET', path: `/reports/${report}` }
      },
    },
  ],
  listDecisions: [
    asAda('one', async (scene) => {
      await unlisted(scene)
      return '/decisions'
    }),
  ],
  getDecision: [asAda('one', async (scene) => `/decisions/${(await unlisted(scene)).decision}`)],
  createAppeal: [
    asAda('the first', async (scene) => `/decisions/${(await unlisted(scene)).decision}/appeal`, {
      text: 'It is the sign of my guild.',
    }),
  ],
  listCases: [
    asModerator('of one owner', async (scene) => {
      await appealed(scene)
      return `/cases?state=appealed&owner_id=${scene.ada.user_id}`
    }),
  ],
  openCase: [
    {
      name: 'of an asset',
      repeated: { state: 'open' },
      prepare: async (scene) => ({
        by: scene.bob,
        method: 'POST',
        path: '/moderation/cases',
        json: { target: await target(scene) },
      }),
    },
  ],
  getCase: [asModerator('with an appeal', pathOfCase)],
  getCaseContent: [
    asModerator('of an asset', async (scene) => `${await pathOfCase(scene)}/content`, {
      method: 'POST',
      json: { reason: 'Is it in the file?' },
    }),
  ],
  decide: [
    asModerator('a block', async (scene) => `/cases/${(await reported(scene)).id}/decisions`, {
      method: 'POST',
      json: verdict,
      headers,
    }),
    {
      name: 'in place of another, which ends an appeal',
      prepare: async (scene) => {
        const { id, decision } = await appealed(scene)
        const json = { ...verdict, action: 'warn', replaces: decision }
        return { by: scene.bob, method: 'POST', path: `/moderation/cases/${id}/decisions`, json, headers }
      },
    },
  ],
  getModeratorsDecision: [
    asModerator('one', async (scene) => `/decisions/${(await unlisted(scene)).decision}`),
  ],
  liftDecision: [
    asModerator('in force', async (scene) => `/decisions/${(await appealed(scene)).decision}`, {
      method: 'DELETE',
    }),
  ],
  answerAppeal: (['upheld', 'reversed'] as const).map((outcome) =>
    asModerator(outcome, async (scene) => `/cases/${(await appealed(scene)).id}/appeal`, {
      method: 'POST',
      json: { outcome, answer: 'We have looked again.' },
      repeated: { code: 'APPEAL_CLOSED' },
    }),
  ),
  getFigures: [asModerator('of a time with nothing', async () => '/figures?from=1000&to=2000')],
  listAuditEntries: [
    {
      name: 'of nobody',
      prepare: async (scene) => ({ by: scene.bob, method: 'GET', path: `/audit?actor=${MODERATOR}` }),
    },
  ],
}
