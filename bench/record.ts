import { setTimeout as sleep } from 'node:timers/promises'
import { refuseDisagreement } from './agree.ts'
import { bodyOf, type HotPath } from './paths.ts'
import { type Plans, planOf, type RecordedAnswer, type Recording } from './plan.ts'
import type { Runtime } from './serve.ts'

/** The headers of a request to any of the Workers. X-Hot-Path names the floor's plan; the service ignores it. */
export function headersOf({ title }: HotPath, token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Hot-Path': title }
}

/**
 * Records the service's statements for each path, gives the floor its plans, and requires that both answer alike. Returns the
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
    const expected = await send(await runtime.addressOf(path.by), path, token, bodyOf(path, 0))
    const answer = await send(await runtime.addressOf('floor'), path, token, bodyOf(path, 0))
    refuseDisagreement(path.title, expected, answer)
  }
  return first.map(({ answer }) => answer)
}

async function recordAll(runtime: Runtime, paths: HotPath[], token: string, variant: number) {
  const recorder = await runtime.addressOf('recorder')
  const recordings: Recording[] = []
  for (const path of paths) {
    const body = bodyOf(path, variant)
    const answer: RecordedAnswer = JSON.parse(await send(recorder, path, token, body))
    if (answer.status >= 300)
      throw new Error(`${path.title}: the service answered ${answer.status}: ${answer.body}`)
    recordings.push({ answer, body: body ?? {} })
  }
  return recordings
}

async function send(origin: string, path: HotPath, token: string, body?: object): Promise<string> {
  const response = await fetch(origin + path.path, {
    method: path.method,
    headers: headersOf(path, token),
    body: body && JSON.stringify(body),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${path.title}: ${origin} answered ${response.status}: ${answer}`)
  return answer
}
