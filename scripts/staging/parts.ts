/** Checks of uploads in parts. */
import type { Check } from './check.ts'
import { type Answer, bytes, type Deployment, type Started, send, tally } from './deployment.ts'
import { must } from './given.ts'

/** Starts an upload in parts. Returns it with the length of each part. */
async function startInParts(deployment: Deployment): Promise<{ started: Started; sizes: number[] }> {
  const started = await deployment.start(deployment.multipartBytes)
  if (!started.multipart)
    throw new Error(
      `${deployment.multipartBytes} bytes are sent in one PUT: set STAGING_MULTIPART_BYTES to more than MULTIPART_THRESHOLD`,
    )
  const { part_size, part_count } = started.multipart
  const last = deployment.multipartBytes - part_size * (part_count - 1)
  return {
    started,
    sizes: Array.from({ length: part_count }, (_, i) => (i === part_count - 1 ? last : part_size)),
  }
}

async function sendPart(
  deployment: Deployment,
  id: string,
  number: number,
  content: Uint8Array<ArrayBuffer>,
  different = {},
) {
  const [part] = await deployment.parts(id, [number])
  if (!part) throw new Error(`there is no part ${number}`)
  return send(part, content, different)
}

async function record(
  deployment: Deployment,
  id: string,
  number: number,
  { headers }: Answer,
): Promise<Answer> {
  const uploaded = [{ part_number: number, etag: headers.get('ETag') ?? '' }]
  return deployment.ask(`/v1/uploads/${id}/parts`, { method: 'POST', body: JSON.stringify({ uploaded }) })
}

/** Sends and records all parts, and returns the answers of their PUTs. */
async function sendAll(deployment: Deployment, id: string, sizes: number[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const [i, size] of sizes.entries()) {
    const answer = await sendPart(deployment, id, i + 1, bytes(size))
    answers.push(answer)
    await record(deployment, id, i + 1, answer)
  }
  return answers
}

export const parts: Check[] = [
  {
    name: 'part-signed',
    does: 'a part of another length, one twice with the same content, one as a copy of an object in both spellings',
    must: '403; 200 and 200; 4xx or 5xx. It says whether both answers have one ETag: the simulator makes a new one',
    onPlatform:
      'whether R2 takes x-amz-copy-source that was not signed, and what ETag a part has that comes again',
    run: async (deployment) => {
      const source = new URL(await deployment.urlOf(await deployment.file(bytes(1_000)))).pathname
        .split('/')
        .slice(-2)
        .join('/')
      const { started, sizes } = await startInParts(deployment)
      const [number, content] = [sizes.length, bytes(sizes.at(-1) ?? 0)]
      const other = await sendPart(deployment, started.id, number, bytes(content.length + 1))
      const copies: Answer[] = []
      for (const name of [`/${source}`, source])
        copies.push(await sendPart(deployment, started.id, number, content, { 'x-amz-copy-source': name }))
      const twice = [
        await sendPart(deployment, started.id, number, content),
        await sendPart(deployment, started.id, number, content),
      ]
      const [first, second] = twice.map(({ headers }) => headers.get('ETag'))
      const came = `another length ${other.status}; twice ${tally(twice)}, ${first === second ? 'one ETag' : 'two ETags'}; copies ${tally(copies)}`
      const isRight = other.status === 403 && twice.every(({ status }) => status === 200)
      return must(isRight && copies.every(({ status }) => status >= 400), came)
    },
  },
  {
    name: 'part-missing',
    does: 'completes with parts missing, aborts, and sends a part to a URL from before',
    must: 'UPLOAD_INCOMPLETE; 204; refused',
    run: async (deployment) => {
      const { started, sizes } = await startInParts(deployment)
      const [before] = await deployment.parts(started.id, [sizes.length])
      const early = await deployment.complete(started.id)
      const aborted = await deployment.ask(`/v1/uploads/${started.id}`, { method: 'DELETE' })
      const late = before && (await send(before, bytes(sizes.at(-1) ?? 0)))
      const came = `completion ${early.status}; abort ${aborted.status}; late part ${late?.status}`
      const isRight = early.text.includes('UPLOAD_INCOMPLETE') && aborted.status === 204
      return must(isRight && (late?.status ?? 0) >= 400, came)
    },
  },
  {
    name: 'wrong-etag',
    does: 'completes in parts with a wrong ETag for the last one',
    must: 'UPLOAD_INCOMPLETE (R2’s error 10025)',
    onPlatform: 'the number of R2’s error',
    run: async (deployment) => {
      const { started, sizes } = await startInParts(deployment)
      await sendAll(deployment, started.id, sizes)
      const wrong = { status: 200, headers: new Headers({ ETag: `"${'0'.repeat(32)}"` }), text: '' }
      const recorded = await record(deployment, started.id, sizes.length, wrong)
      const completed = await deployment.complete(started.id)
      const came = `recorded ${recorded.status}; completion ${completed.status} ${completed.text.slice(0, 120)}`
      return must(completed.text.includes('UPLOAD_INCOMPLETE'), came)
    },
  },
  {
    name: 'completed-twice',
    does: 'completes an upload in parts from two devices at once, and again later',
    must: '200 each time (R2’s error 10024 counts as done), the same file',
    onPlatform: 'the number of R2’s error',
    run: async (deployment) => {
      const { started, sizes } = await startInParts(deployment)
      await sendAll(deployment, started.id, sizes)
      const both = await Promise.all([deployment.complete(started.id), deployment.complete(started.id)])
      const later = await deployment.complete(started.id)
      const came = `at once ${tally(both)}; later ${later.status}`
      return must(
        [...both, later].every(({ status }) => status === 200),
        came,
      )
    },
  },
]
