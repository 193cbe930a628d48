/** Finds out which headers keep a signed PUT from becoming a copy, on the R2 that a deployment is going to use. */
import {
  type CopyGuard,
  guardHeaders,
  type PartGuard,
  type PutGuard,
  refusesCopies,
} from '../../src/platform/config/copy-guards.ts'
import { type ProbeBucket, said } from './probe-bucket.ts'
import {
  type Copy,
  objectHeaders,
  partOfUpload,
  remedyFor,
  type Subject,
  wholeObject,
} from './probe-subjects.ts'
import { note, Stopped } from './step.ts'

/** The guards to sign, and whether R2 by itself refuses every copy that is not signed as one. */
export interface CopyGuards {
  put: PutGuard[]
  part: PartGuard[]
  refuses_unsigned_copies: boolean
}

/** A way to ask for a copy: how the source is spelt, and whether a body comes along. */
interface Way {
  source: string
  body: string
}

/** What a probe works with. */
interface Material {
  /** The content of the object that is to be copied. */
  secret: string
  /** The content of whoever sends. */
  own: string
  ways: Way[]
}

/**
 * Probes the bucket, and says what R2 answered. A guard works when R2 takes a PUT that has it, and refuses a copy with it
 * that succeeds without it.
 *
 * @throws Stopped when R2 does not take content; when no copy succeeds at all, so that nothing is known; or when nothing keeps
 *   R2 from copying
 */
export async function findCopyGuards(bucket: ProbeBucket): Promise<CopyGuards> {
  const [secret, own] = [`of another ${crypto.randomUUID()}`, `of the sender ${crypto.randomUUID()}`]
  const key = await stored(bucket, secret)
  const ways = bucket.sourcesOf(key).flatMap((source) => ['', own].map((body) => ({ source, body })))
  const put = await guardsFor(wholeObject(bucket), { secret, own, ways })
  const part = await guardsFor(partOfUpload(bucket), { secret, own, ways })
  return {
    put: put.working,
    part: part.working,
    refuses_unsigned_copies: !put.isCopiedUnsigned && !part.isCopiedUnsigned,
  }
}

/** Stores the object that is to be copied, and reads it again. Returns its key. */
async function stored(bucket: ProbeBucket, content: string): Promise<string> {
  const { key, answer } = await bucket.put({ signed: objectHeaders(content, [], true), body: content })
  if (answer.status !== 200)
    throw new Stopped(`R2 did not take an object: ${said(answer)}`, remedyFor(answer))
  const read = await bucket.read(key)
  if (read.content !== content)
    throw new Stopped(`R2 did not give an object back: ${said(read.answer)}`, remedyFor(read.answer))
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
  if (plain.status !== 200) throw new Stopped(`R2 did not take ${name}: ${said(plain)}`, remedyFor(plain))
  const way = await wayThatCopies(subject, material)
  const isCopiedUnsigned = (await copiedUnsigned(subject, material, onlyLength)) !== undefined
  note(`${name}: R2 copies what is signed as a copy, and ${isCopiedUnsigned ? 'also' : 'not'} what is not`)
  const working: Guard[] = []
  for (const guard of guards) {
    const taken = await subject.send({ signed: subject.headers(own, [guard]), body: own })
    const copy = refusesCopies(guard) ? await copySigned(subject, material, way, guard) : undefined
    note(`${name} with ${guard}: ${said(taken)}${copy ? `; a copy with it: ${outcomeOf(copy)}` : ''}`)
    if (taken.status === 200 && (!copy || isRefused(copy))) working.push(guard)
  }
  if (isCopiedUnsigned && !working.some(refusesCopies)) throw nothingWorks(name)
  await verify(subject, material, working)
  return { working, isCopiedUnsigned }
}

/** A way in which a copy succeeds that is signed as one. Without any, no refusal would say anything about a guard. */
async function wayThatCopies(subject: Subject<CopyGuard>, material: Material): Promise<Way> {
  const answers = []
  for (const way of material.ways) {
    const copy = await copySigned(subject, material, way)
    if (copy.isCopied) return way
    answers.push(`${way.source}${way.body && ', with a body'}: ${said(copy.answer)}`)
  }
  throw new Stopped(
    `R2 refuses every copy in place of ${subject.name}, also without a guard, so nothing is known about the guards.\n${answers.join('\n')}`,
    'Do the keys read and write the objects of this bucket? If they do, report the answers above as an issue. --skip-probe goes on, and signs all guards.',
  )
}

/** Tries a copy that is signed as one, with nothing else that could refuse it except a guard. */
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

/** The first way in which R2 copies though the URL was not signed for a copy; undefined when there is none. */
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

/** Does what a client and what an attacker would do, with exactly the headers that the service is going to sign. */
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
    throw new Stopped(`R2 did not take ${name} with ${list}: ${said(taken)}`, remedyFor(taken))
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

/** A copy whose signature R2 does not accept says nothing about a guard. */
const isRefused = ({ answer, isCopied }: Copy) =>
  !isCopied && answer.status !== 401 && answer.code !== 'SignatureDoesNotMatch'

const outcomeOf = ({ answer, isCopied }: Copy) => (isCopied ? `${said(answer)}, copied` : said(answer))
