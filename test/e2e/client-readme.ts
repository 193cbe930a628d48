import { png } from '../support/pictures.ts'
import { examplesOf } from './guides.ts'

const SEPARATOR = '\u001e\n'

/** What the examples of the client's README take as given. */
const given = `
import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
const session = { token: async (_: { renew: boolean }) => process.env.TOKEN ?? '', user_id: process.env.USER_ID ?? '' }
const studio = { token: process.env.STUDIO_TOKEN ?? '' }
const saved = new Map<string, string>()
const screen = {
  show(..._: unknown[]) {},
  announce(..._: unknown[]) {},
  setOnline(_: boolean) {},
  choose: async ({ bytes }: { bytes: Uint8Array }, ..._: unknown[]) => bytes,
}
const otherDevice = createClient({ baseUrl: 'http://localhost:8787', token: process.env.TOKEN ?? '' })
const merged = (mine: Uint8Array, theirs: Uint8Array) => new Uint8Array([...mine, ...theirs])
const directory = '.'
const picture = new Blob([Buffer.from('${Buffer.from(png).toString('base64')}', 'base64')])
const bar = { update(_: number) {} }
`

/** The examples of the client's README as one program, and what each of them prints. */
export function readmeExamples(): { source: string; printed: string[] } {
  const examples = examplesOf('../client/README.md', 'ts')
  const scripts = examples.map(
    ({ script }) => `${script}process.stdout.write(${JSON.stringify(SEPARATOR)})\n`,
  )
  return { source: given + scripts.join(''), printed: examples.map(({ printed }) => printed) }
}

/** What each example has printed. */
export function printedByExamples(output: string): string[] {
  return output.split(SEPARATOR).slice(0, -1)
}
