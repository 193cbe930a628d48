import { made } from './answer.ts'
import { records } from './records.ts'
import { operator, type User } from './user.ts'

const { Appeal, ModeratorsDecision, Report, WholeCase } = records

/** What a report or a case is about. */
export interface Target {
  type: 'asset' | 'file' | 'user'
  id: string
}

/** An asset as a target. */
export const ofAsset = ({ id }: { id: string }): Target => ({ type: 'asset', id })

/** Sends a POST. */
export const post = (user: User, path: string, json: object, headers?: Record<string, string>) =>
  user.request('POST', path, { json, headers })

/** Reports a thing. Fails unless it succeeds. */
export async function report(user: User, target: Target, more: object = {}, status = 201) {
  return made(Report, await post(user, '/reports', { target, category: 'hate', ...more }), status)
}

/** A moderator. */
export const moderator = (service?: Parameters<typeof operator>[1]) => operator('content:moderate', service)

/** The case of a thing, which is opened if it is not there. */
export async function caseOf(by: User, target: Target) {
  const answer = await post(by, '/moderation/cases', { target })
  return made(WholeCase, answer, answer.status === 201 ? 201 : 200)
}

/** Decides about a case. Fails unless it succeeds. */
export async function decide(by: User, found: { id: string }, more: object = {}) {
  const body = { action: 'unlist', ground: 'terms', statement: 'A slogan on the wall.', ...more }
  return made(ModeratorsDecision, await post(by, `/moderation/cases/${found.id}/decisions`, body), 201)
}

/** Appeals against a decision. Fails unless it succeeds. */
export async function appeal(user: User, decision: { id: string }, text = 'Look again.') {
  return made(Appeal, await post(user, `/decisions/${decision.id}/appeal`, { text }), 201)
}

/** Answers the appeal of a case. Fails unless it succeeds. */
export async function answer(by: User, found: { id: string }, outcome: 'upheld' | 'reversed') {
  const sent = { outcome, answer: 'We have looked again.' }
  return made(Appeal, await post(by, `/moderation/cases/${found.id}/appeal`, sent), 200)
}
