/** Probes which signed headers ("guards") keep a client from turning a signed PUT into a copy of another user's object. */
import {
  type CopyGuard,
  guardHeaders,
  type PartGuard,
  type PutGuard,
  refusesCopies,
} from '../../src/platform/config/copy-guards.ts'
import { type ProbeBucket, summaryOf } from './probe-bucket.ts'
import {
  type Copy,
  objectHeaders,
  partOfUpload,
  remedyFor,
  type Subject,
  wholeObject,
} from './probe-subjects.ts'
import { note, Stopped } from './step.ts'

/** The guards to sign, and whether R2 refuses an unsigned `x-amz-copy-source` even without a guard. */
export interface CopyGuards {
  put: PutGuard[]
  part: PartGuard[]
  refuses_unsigned_copies: boolean
}

/** A variant of a copy request: the spelling of its source, and its body ('' for none). */
interface Way {
  source: string
  body: string
}

/** The contents that a probe sends, and the variants of a copy that it tries. */
interface Material {
  /** The content of the object that a copy would take. */
  secret: string
  /** The content that the sender of a PUT declares. */
  own: string
  ways: Way[]
}

/**
 * Probes the bucket, and prints R2's answers. A guard works when R2 accepts a PUT with it, and refuses a copy with it that
 * succeeds without it.
 *
 * @throws Stopped when R2 refuses content; when every copy fails even without a guard, which proves nothing; or when no guard
 *   prevents copies
 */
export async function findCopyGuards(bucket: ProbeBucket): Promise<CopyGuards> {
  const [secret, own] = [`of another ${crypto.randomUUID()}`, `of the sender ${crypto.randomUUID()}`]
  const key = await storeSecret(bucket, secret)
  const ways = bucket.sourcesOf(key).flatMap((source) => ['', own].map((body) => ({ source, body })))
  const put = await guardsFor(wholeObject(bucket), { secret, own, ways })
  const part = await guardsFor(partOfUpload(bucket), { secret, own, ways })
  return {
    put: put.working,
    part: part.working,
    refuses_unsigned_copies: !put.isCopiedUnsigned && !part.isCopiedUnsigned,
  }
}

/** Stores the object that copies will name as their source, and reads it back. Returns its key. */
async function storeSecret(bucket: ProbeBucket, content: string): Promise<string> {
  const { key, answer } = await bucket.put({ signed: objectHeaders(content, [], true), body: content })
  if (answer.status !== 200)
    throw new Stopped(`R2 did not take an object: ${summaryOf(answer)}`, remedyFor(answer))
  const read = await bucket.read(key)
  if (read.content !== content)
    throw new Stopped(`R2 did not give an object back: ${summaryOf(read.answer)}`, remedyFor(read.answer))
  note(`PUT ${answer.status}, GET ${read.answer.status}`)
  return key
}

async function guardsFor<Guard extends CopyGuard>(
  subject: Subject<Guard>,
  material: Material,
): Promise<{ working: Guard[]; isCopiedUnsigned: boolean }> {
  const { name, guards } = subject
  const { own } = material
  const plain = await subject.send({ signed: subject.headers(own, []), body: own })
  if (plain.status !== 200)
    throw new Stopped(`R2 did not take ${name}: ${summaryOf(plain)}`, remedyFor(plain))
  const way = await wayThatCopies(subject, material)
  const isCopiedUnsigned = (await copiedUnsigned(subject, material, onlyLength)) !== undefined
  note(`${name}: R2 copies what is signed as a copy, and ${isCopiedUnsigned ? 'also' : 'not'} what is not`)
  const working: Guard[] = []
  for (const guard of guards) {
    const taken = await subject.send({ signed: subject.headers(own, [guard]), body: own })
    const copy = refusesCopies(guard) ? await copySigned(subject, material, way, guard) : undefined
    note(`${name} with ${guard}: ${summaryOf(taken)}${copy ? `; a copy with it: ${outcomeOf(copy)}` : ''}`)
    if (taken.status === 200 && (!copy || isRefused(copy))) working.push(guard)
  }
  if (isCopiedUnsigned && !working.some(refusesCopies)) throw nothingWorks(name)
  await verify(subject, material, working)
  return { working, isCopiedUnsigned }
}

/** The first variant with which a properly signed copy succeeds: the control, without which a refusal proves nothing. */
async function wayThatCopies(subject: Subject<CopyGuard>, material: Material): Promise<Way> {
  const answers = []
  for (const way of material.ways) {
    const copy = await copySigned(subject, material, way)
    if (copy.isCopied) return way
    answers.push(`${way.source}${way.body && ', with a body'}: ${summaryOf(copy.answer)}`)
  }
  throw new Stopped(
    `R2 refuses every copy in place of ${subject.name}, also without a guard, so nothing is known about the guards.\n${answers.join('\n')}`,
    'Do the keys read and write the objects of this bucket? If they do, report the answers above as an issue. --skip-probe goes on, and signs all guards.',
  )
}

/** Tries a properly signed copy, which only the guards can make R2 refuse. */
function copySigned(
  subject: Subject<CopyGuard>,
  { secret }: Material,
  { source, body }: Way,
  ...guards: CopyGuard[]
): Promise<Copy> {
  const signed = {
    ...guardHeaders(guards),
    'Content-Length': String(body.length),
    'x-amz-copy-source': source,
  }
  return subject.copy({ signed, body }, secret)
}

/** The first variant that R2 copies although its URL was not signed for a copy; undefined when R2 refuses all. */
async function copiedUnsigned(
  subject: Subject<CopyGuard>,
  { ways, secret }: Material,
  signed: (body: string) => Record<string, string>,
): Promise<Way | undefined> {
  for (const { source, body } of ways) {
    const put = { signed: signed(body), unsigned: { 'x-amz-copy-source': source }, body }
    if ((await subject.copy(put, secret)).isCopied) return { source, body }
  }
  return undefined
}

/** Sends a client's PUT and an attacker's copies with exactly the headers that the service will sign. */
async function verify(
  subject: Subject<CopyGuard>,
  material: Material,
  guards: readonly CopyGuard[],
): Promise<void> {
  const { name } = subject
  const { own, ways } = material
  const list = guards.join(' and ') || 'no guard'
  const headers = (body: string) => subject.headers(body, guards)
  const taken = await subject.send({ signed: headers(own), body: own })
  if (taken.status !== 200)
    throw new Stopped(`R2 did not take ${name} with ${list}: ${summaryOf(taken)}`, remedyFor(taken))
  const way = await copiedUnsigned(subject, material, headers)
  if (way) throw nothingWorks(`${name} with ${list}`)
  note(`${name} with ${list}: ${taken.status}; ${ways.length} copies: refused`)
}

function nothingWorks(name: string): Stopped {
  return new Stopped(
    `Nothing keeps ${name} from becoming a copy of another object.`,
    'Whoever may upload could read every object of the bucket, so nothing is deployed. Report the answers above as an issue.',
  )
}

const onlyLength = (body: string) => ({ 'Content-Length': String(body.length) })

/** A copy that fails for its signature says nothing about the guard. */
const isRefused = ({ answer, isCopied }: Copy) =>
  !isCopied && answer.status !== 401 && answer.code !== 'SignatureDoesNotMatch'

const outcomeOf = ({ answer, isCopied }: Copy) =>
  isCopied ? `${summaryOf(answer)}, copied` : summaryOf(answer)
