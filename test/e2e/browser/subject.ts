/** The script of a page with the inbox that is watched in the proof of the client. */
import { seeded } from '../../support/seeded.ts'
import { Subject } from '../proofs/inbox/subject.ts'

declare global {
  /** The login, which runs in the test. */
  var tokenOf: (request: { renew: boolean }) => Promise<string>
}

let subject: Subject

async function open({ baseUrl, seed }: { baseUrl: string; seed: number }): Promise<void> {
  const token = (request: { renew: boolean }) => globalThis.tokenOf(request)
  subject = new Subject({ baseUrl, token, random: seeded(seed) })
  await subject.ready()
}

const report = () => subject.report()
const change = (wanted: Parameters<Subject['change']>[0]) => subject.change(wanted)

const acts = { open, report, change }
export type SubjectActs = typeof acts
Object.assign(globalThis, { acts })
