import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseDisagreement, refuseEmptyList } from './agree.ts'
import { bodyOf, type HotPath, sentBody } from './paths.ts'
import { type Plans, planOf, type RecordedAnswer, type Recording } from './plan.ts'
import type { Runtime } from './serve.ts'

/**
 * The headers of a request to any of the Workers. X-Hot-Path names the floor's plan; the service ignores it. Content has its
 * digest, as the client sends it.
 */
export function headersOf({ title, content }: HotPath, token: string): Record<string, string> {
  const digest = content && createHash('sha256').update(content).digest('base64')
  return {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'X-Hot-Path': title,
    ...(digest && { 'Content-Digest': `sha-256=:${digest}:` }),
  }
}

/**
 * Records the service's statements for each path, gives the floor its plans, and requires that both answer alike, and no list empty. Returns the
 * first recording of each path.
 */
export async function teachFloor(
  runtime: Runtime,
  paths: HotPath[],
  token: string,
): Promise<RecordedAnswer[]> {
  const first = await recordAll(runtime, paths, token, 0)
  await sleep(1_100) // times in seconds have to differ between the two recordings
  const second = await recordAll(runtime, paths, token, 1)

  const plans: Plans = {}
  paths.forEach((path, i) => {
    const [one, other] = [first[i], second[i]]
    if (!one || !other) return
    plans[path.title] = planOf(path.shape, one, other)
  })
  await runtime.setPlans(plans)

  for (const path of paths) {
    const body = sentBody(path, 0)
    const expected = await send(await runtime.addressOf(path.by), path, token, body)
    const answer = await send(await runtime.addressOf('floor'), path, token, body)
    refuseDisagreement(path.title, expected, answer)
    refuseEmptyList(path.title, expected)
  }
  return first.map(({ answer }) => answer)
}

async function recordAll(runtime: Runtime, paths: HotPath[], token: string, variant: number) {
  const recorder = await runtime.addressOf('recorder')
  const recordings: Recording[] = []
  for (const path of paths) {
    const answer: RecordedAnswer = JSON.parse(await send(recorder, path, token, sentBody(path, variant)))
    if (answer.status >= 300)
      throw new Error(`${path.title}: the service answered ${answer.status}: ${answer.body}`)
    recordings.push({ answer, body: bodyOf(path, variant) ?? {} })
  }
  return recordings
}

async function send(origin: string, path: HotPath, token: string, body?: string): Promise<string> {
  const response = await fetch(origin + path.path, {
    method: path.method,
    headers: headersOf(path, token),
    ...(body !== undefined && { body }),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${path.title}: ${origin} answered ${response.status}: ${answer}`)
  return answer
}
