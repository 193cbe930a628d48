/** A player reports a world, a moderator decides, its creator appeals, and another moderator answers. */
import type { Output } from './gifts.ts'
import { refused, type User } from './user.ts'

/** Who takes part. The creator has a public world. */
export interface Parties {
  creator: User
  player: User
  moderator: User
  other: User
}

/** Takes a report from the button to the answer of an appeal. The world is there for everybody at the end. @throws Error when a step shows anything else */
export async function moderate(
  { creator, player, moderator, other }: Parties,
  { step, fact }: Output,
): Promise<void> {
  const [world] = (await player.client.catalogue.list({ owner_id: creator.id, limit: 1 }).page()).assets
  if (!world) throw new Error('The creator has no world in the catalogue.')
  const target = { type: 'asset', id: world.id } as const

  step('As a player: report a world')
  const report = await player.client.reports.create({
    target,
    category: 'copyright',
    text: 'The picture is mine.',
  })
  const again = await player.client.reports.create({ target, category: 'spam' })
  require(again.id === report.id, 'A second report was made while the first is open.')
  fact('report', `${report.category}, ${report.state}; the button again answers with the same one`)

  step('As a moderator: look at the queue, and at the case')
  const [queued] = (await moderator.studio.cases.list({ owner_id: creator.id }).page()).cases
  require(queued?.target.id === world.id, 'The case is not in the queue.')
  const { id, reports } = await moderator.studio.cases.get({ id: queued.id })
  fact('case', `"${queued.name}", ${queued.report_count} report: ${reports[0]?.text}`)

  step('Block the world, with a statement; then get it as the player')
  const decision = await moderator.studio.cases.decide({
    id,
    action: 'block',
    ground: 'law',
    rule: 'Copyright',
    statement: 'The picture in the hall is by somebody else. Show us that you may use it, or replace it.',
  })
  fact('decision', `${decision.action}, ${decision.ground}: ${decision.statement}`)
  fact('detail', await refused('ASSET_NOT_FOUND', player.client.assets.get({ id: world.id })))
  const { decision: outcome } = await player.client.reports.get({ id: report.id })
  require(outcome?.action === 'block', 'The reporter does not see what became of the report.')

  step('As the creator: read the decision, and appeal')
  const own = await creator.client.decisions.get({ id: decision.id })
  require(own.statement === decision.statement, 'The creator reads another statement.')
  const appeal = await creator.client.decisions.appeal({ id: own.id, text: 'I painted it.' })
  fact('appeal', `by the ${appeal.by}, ${appeal.state}: ${appeal.text}`)

  step('As the same moderator, then as another one: answer the appeal')
  const answer = { outcome: 'reversed', answer: 'You did: thank you for the sketches.' } as const
  fact('detail', await refused('FORBIDDEN', moderator.studio.cases.answerAppeal({ id, ...answer })))
  const answered = await other.studio.cases.answerAppeal({ id, ...answer })
  fact('appeal', `${answered.state}: ${answered.answer}`)
  const { name } = await player.client.assets.get({ id: world.id })
  fact('player', `sees "${name}" again`)
}

function require(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Error(otherwise)
}
