/** @module-tag release */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { configurationOf } from '../../scripts/deploy/configuration.ts'
import { probed } from '../../scripts/deploy/probe.ts'
import { readSettings } from '../../scripts/deploy/settings.ts'
import { Stopped } from '../../scripts/deploy/step.ts'
import { partGuards, putGuards } from '../support/copy-guards.ts'
import { BUCKET, KEYS, notImplemented, R2, type Rule } from './deploy/r2.ts'
import { changesIn, type Run, Studio, settings } from './deploy/run.ts'

/** What the keys of the objects begin with that the probe writes. */
const PROBES = '.probe/'

let r2: R2
beforeAll(async () => {
  r2 = await R2.start()
})
beforeEach(() => r2.forget())
afterAll(() => r2.stop())

const access = (different: Partial<typeof KEYS & { S3_BUCKET: string; S3_ENDPOINT: string }> = {}) => ({
  S3_ENDPOINT: r2.address,
  S3_BUCKET: BUCKET,
  ...KEYS,
  ...different,
})

/** Why the probe stopped, and what it tells to do. Fails when it did not stop. */
async function stopped(...[different]: Parameters<typeof access>): Promise<string> {
  const end = await probed(access(different)).catch((error: unknown) => error)
  if (!(end instanceof Stopped)) throw new Error(`The probe did not stop: ${JSON.stringify(end)}`)
  await expectNothingLeft()
  return `${end.message}\n${end.remedy}`
}

async function expectNothingLeft(): Promise<void> {
  expect(await r2.objects()).toEqual([])
  expect([...r2.uploads]).toEqual([])
}

const [DIRECTIVE, IF_MATCH, OWNER] = putGuards

/** What the simulator takes, which copies for whoever asks. */
const allGuards = { put: [...putGuards], part: [...partGuards], refuses_unsigned_copies: false }

/** Headers that R2 does not implement, with a PUT that is no copy. */
const refusesWithContent =
  (...names: string[]): Rule =>
  ({ method, isCopy, headers }) => {
    const name = names.find((one) => headers.has(one))
    return method === 'PUT' && !isCopy && name ? notImplemented(name) : undefined
  }

/** A guard that R2 takes no notice of. */
const ignores =
  (name: string): Rule =>
  ({ isCopy, headers }) =>
    isCopy && headers.has(name) ? { ignores: name } : undefined

/** S3 requires every header x-amz-… to be signed. */
const requiresSignature: Rule = ({ isCopy, signed }) =>
  isCopy && !signed.includes('x-amz-copy-source')
    ? { status: 403, code: 'SignatureDoesNotMatch', message: 'x-amz-copy-source is not signed' }
    : undefined

describe('the probe of the bucket', () => {
  it('finds that every guard works, with copies that succeed without it, and leaves nothing behind', async () => {
    expect(await probed(access())).toEqual(allGuards)
    await expectNothingLeft()
    const keys = r2.requests.map(({ url }) => url.pathname.slice(`/${BUCKET}/`.length)).filter(Boolean)
    expect(keys.filter((key) => !key.startsWith(PROBES))).toEqual([])
    for (const isPart of [false, true]) {
      const copies = r2.requests.filter((one) => one.isCopy && one.isPart === isPart)
      const isGuarded = ({ signed }: { signed: string[] }) =>
        putGuards.some((guard) => signed.includes(guard))
      expect(copies.filter((one) => !isGuarded(one)).map(({ status }) => status)).toContain(200)
      expect(copies.filter(isGuarded).map(({ status }) => status)).not.toContain(200)
      // What the service is going to sign is tried in both spellings, with a body and without one.
      const final = copies.filter(({ signed }) => partGuards.every((guard) => signed.includes(guard)))
      const ways = final.map(({ headers }) => [
        headers.get('x-amz-copy-source')?.startsWith('/'),
        headers.get('content-length') === '0',
      ])
      expect(new Set(ways.map(String)).size).toBe(4)
    }
  })

  it.each([
    [DIRECTIVE, { put: [IF_MATCH, OWNER], part: [IF_MATCH, OWNER] }],
    [IF_MATCH, { put: [DIRECTIVE, OWNER], part: [OWNER] }],
    [OWNER, { put: [DIRECTIVE, IF_MATCH], part: [IF_MATCH] }],
  ])('leaves out a guard that R2 does not take: %s', async (guard, expected) => {
    r2.rules = [refusesWithContent(guard)]
    expect(await probed(access())).toEqual({ ...expected, refuses_unsigned_copies: false })
    await expectNothingLeft()
  })

  it.each([IF_MATCH, OWNER])('leaves out a guard with which R2 copies all the same: %s', async (guard) => {
    r2.rules = [ignores(guard)]
    const found = await probed(access())
    expect([found.put, found.part]).toEqual([
      putGuards.filter((one) => one !== guard),
      partGuards.filter((one) => one !== guard),
    ])
  })

  it('takes no refusal of a signature for one of a guard', async () => {
    r2.rules = [
      ({ isCopy, headers }) =>
        isCopy && headers.has(IF_MATCH)
          ? { status: 403, code: 'SignatureDoesNotMatch', message: '' }
          : undefined,
    ]
    expect(await probed(access())).toMatchObject({ put: [DIRECTIVE, OWNER], part: [OWNER] })
  })

  it('tells objects and parts apart', async () => {
    const ofParts: Rule = (seen) => (seen.isPart ? refusesWithContent(IF_MATCH)(seen) : undefined)
    r2.rules = [ofParts]
    expect(await probed(access())).toEqual({ ...allGuards, part: [OWNER] })
  })

  it.each<[string, Rule[]]>([
    ['R2 takes none', [refusesWithContent(IF_MATCH, OWNER)]],
    ['R2 takes notice of none', [ignores(IF_MATCH), ignores(OWNER)]],
    ['R2 takes one, and no notice of the other', [refusesWithContent(IF_MATCH), ignores(OWNER)]],
  ])('stops when no guard works: %s', async (_, rules) => {
    r2.rules = rules
    expect(await stopped()).toContain(
      'Nothing keeps the PUT of an object from becoming a copy of another object.',
    )
  })

  it('stops when no guard works for parts', async () => {
    r2.rules = [(seen) => (seen.isPart ? refusesWithContent(IF_MATCH, OWNER)(seen) : undefined)]
    expect(await stopped()).toContain('Nothing keeps the PUT of a part from becoming a copy')
  })

  it('goes on without a guard where R2 copies nothing that was not signed as a copy', async () => {
    r2.rules = [requiresSignature, refusesWithContent(...putGuards)]
    expect(await probed(access())).toEqual({ put: [], part: [], refuses_unsigned_copies: true })
    r2.rules = [requiresSignature]
    expect(await probed(access())).toEqual({ ...allGuards, refuses_unsigned_copies: true })
  })

  it('stops when guards work one by one and not together', async () => {
    const together: Rule = ({ isCopy, headers }) =>
      !isCopy && headers.has(IF_MATCH) && headers.has(OWNER) ? notImplemented(OWNER) : undefined
    r2.rules = [together]
    expect(await stopped()).toContain(
      `R2 did not take the PUT of an object with ${putGuards.join(' and ')}: 501`,
    )
  })

  it('stops when no copy succeeds at all, because then nothing is known', async () => {
    r2.rules = [({ isCopy }) => (isCopy ? { status: 403, code: 'AccessDenied', message: '' } : undefined)]
    const why = await stopped()
    expect(why).toContain('also without a guard, so nothing is known about the guards')
    expect(why).toMatch(new RegExp(`^${BUCKET}/.probe/\\S+: 403 AccessDenied$`, 'm'))
    expect(why).toMatch(new RegExp(`^/${BUCKET}/.probe/\\S+, with a body: 403 AccessDenied$`, 'm'))
  })

  it('takes no refusal of an overloaded R2 for one of a guard', async () => {
    r2.rules = [
      ({ isCopy, headers }) =>
        isCopy && headers.has(IF_MATCH)
          ? { status: 503, code: 'ServiceUnavailable', message: '' }
          : undefined,
    ]
    expect(await stopped()).toContain('R2 answered 503 ServiceUnavailable')
  })

  it('asks again when R2 is overloaded or an answer is lost', async () => {
    const lost = new Set<string>()
    r2.rules = [
      ({ method, url, isPart, isCopy }) => {
        const kind = [method, isPart, isCopy, url.search.slice(0, 8)].join()
        if (lost.has(kind)) return undefined
        lost.add(kind)
        return lost.size % 2 ? 'nothing' : { status: 429, code: 'TooManyRequests', message: '' }
      },
    ]
    expect(await probed(access())).toEqual(allGuards)
    expect(lost.size).toBeGreaterThan(6)
    await expectNothingLeft()
  })

  it.each([
    ['another secret', { S3_SECRET_ACCESS_KEY: 'another' }, '403 SignatureDoesNotMatch'],
    ['another id', { S3_ACCESS_KEY_ID: 'another' }, '401 Unauthorized'],
  ])('stops with %s, and says which keys are needed', async (_, different, answer) => {
    const why = await stopped(different)
    expect(why).toContain(`R2 did not take an object: ${answer}`)
    expect(why).toContain('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY do not open this bucket')
    expect(why).not.toContain(access(different).S3_SECRET_ACCESS_KEY)
  })

  it('stops without the bucket', async () => {
    const why = await stopped({ S3_BUCKET: 'another-bucket' })
    expect(why).toContain('404 NoSuchBucket')
    expect(why).toContain('account and jurisdiction')
  })

  it.each([
    ['RequestTimeTooSkewed', 403, 20, '20 minutes ahead'],
    ['ExpiredRequest', 400, -90, '90 minutes behind'],
    ['SignatureDoesNotMatch', 403, 20, '20 minutes ahead'],
  ])('names a clock that is wrong: %s', async (code, status, minutes, off) => {
    const date = new Date(Date.now() + minutes * 60_000).toUTCString()
    r2.rules = [() => ({ status, code, message: '', date })]
    expect(await stopped()).toContain(`The clock of this machine is wrong: R2's is ${off}.`)
  })

  it('stops when R2 does not implement a header that every upload has', async () => {
    r2.rules = [refusesWithContent('if-none-match')]
    const why = await stopped()
    expect(why).toContain("501 NotImplemented (Header 'if-none-match' not implemented)")
    expect(why).toContain('the service cannot work with it')
  })

  it('stops when R2 does not join a part, though it says that it does', async () => {
    r2.rules = [
      ({ method, url }) =>
        method === 'POST' && url.searchParams.has('uploadId')
          ? { status: 200, text: '<Error></Error>' }
          : undefined,
    ]
    expect(await stopped()).toContain('R2 took a part and did not join it: 200')
  })

  it('stops without a network', async () => {
    expect(await stopped({ S3_ENDPOINT: 'http://localhost:9' })).toMatch(
      /^localhost:9 does not answer: [\s\S]*Nothing is known without an answer/,
    )
  })

  it('removes what it has made when it stops in the middle', async () => {
    r2.rules = [
      ({ isPart, isCopy }) => (isPart && isCopy ? { status: 500, code: 'X', message: '' } : undefined),
    ]
    expect(await stopped()).toContain('R2 answered 500')
    expect(
      r2.requests.some(({ method, url }) => method === 'DELETE' && url.searchParams.has('uploadId')),
    ).toBe(true)
  })

  it('removes what an earlier probe left behind that was cut off, and nothing else', async () => {
    const [old, recent, other] = [`${PROBES}old/1`, `${PROBES}recent/1`, 'erased/1']
    for (const key of [old, recent, other]) await r2.put(key)
    const entry = (key: string, age_ms: number) =>
      `<Contents><Key>${key}</Key><LastModified>${new Date(Date.now() - age_ms).toISOString()}</LastModified></Contents>`
    const text = `<ListBucketResult>${entry(old, 7_200_000)}${entry(recent, 60_000)}${entry(other, 7_200_000)}</ListBucketResult>`
    r2.rules = [({ url }) => (url.searchParams.has('list-type') ? { status: 200, text } : undefined)]
    await probed(access())
    expect(await r2.objects()).toEqual([recent, other])
    for (const key of await r2.objects()) await r2.remove(key)
  })
})

describe('npm run deploy', () => {
  let studio: Studio
  beforeEach(async () => {
    studio = await Studio.with(settings, r2)
  })
  afterEach(() => studio.end())

  /** The changes after which something of a Worker or a database is new. */
  const liveChanges = (run: Run) =>
    changesIn(run).filter((call) => /^(secret|deploy|d1 migrations)/.test(call))

  it('signs the guards that the probe has found, and keeps what it found for runs without the keys', {
    timeout: 90_000, // two deployments, each a process with up to fourteen more
  }, async () => {
    r2.rules = [refusesWithContent(IF_MATCH)]
    const run = await studio.deploy([], KEYS)
    expect(run).toMatchObject({ code: 0, output: expect.stringContaining('✓ ready') })
    expect(run.output).toContain(
      `the PUT of an object with ${IF_MATCH}: 501 NotImplemented (Header '${IF_MATCH}' not implemented); a copy with it: 412`,
    )
    expect(run.output).not.toContain(KEYS.S3_SECRET_ACCESS_KEY)
    await expectNothingLeft()
    const copy_guards = {
      bucket: BUCKET,
      probed_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      put: [DIRECTIVE, OWNER],
      part: [OWNER],
      refuses_unsigned_copies: false,
    }
    expect(studio.read()).toMatchObject({ copy_guards })
    const variables = { COPY_GUARDS_PUT: `${DIRECTIVE},${OWNER}`, COPY_GUARDS_PART: OWNER }
    expect(configurationOf(readSettings(studio.settings))).toMatchObject({ vars: variables })

    r2.forget()
    const next = await studio.deploy()
    expect(next.output).toMatch(/Probe of the bucket\n {2}✓ not done again: \d{4}-\d\d-\d\d is in /)
    expect(next.code).toBe(0)
    expect(r2.requests).toEqual([])
    expect(studio.read()).toMatchObject({ copy_guards })
  })

  it.each([
    ['nothing refuses copies', [refusesWithContent(IF_MATCH, OWNER)], {}, 'so nothing is deployed'],
    ['the keys are wrong', [], { S3_SECRET_ACCESS_KEY: 'another' }, 'do not open this bucket'],
  ])(
    'stores no secret, migrates nothing and deploys nothing when %s',
    async (_, rules, different, reason) => {
      r2.rules = rules
      const run = await studio.deploy([], { ...KEYS, ...different })
      expect(run.output).toContain(reason)
      expect(run.code).toBe(1)
      expect(liveChanges(run)).toEqual([])
      expect(studio.read()).not.toHaveProperty('copy_guards')
      await expectNothingLeft()
    },
  )

  it('does not go on without keys that it could probe with, unless it is told to, and then says so', {
    timeout: 90_000, // three deployments
  }, async () => {
    studio.change((account) => ({ ...account, secrets: Object.keys(KEYS) }))
    const stopped = await studio.deploy()
    expect(stopped.output).toContain('Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY in the environment')
    expect(stopped.code).toBe(1)
    expect(liveChanges(stopped)).toEqual([])

    const skipped = await studio.deploy(['--skip-probe'])
    expect(skipped.output).toMatch(
      /Attention: --skip-probe[\s\S]*signs all guards[\s\S]*\nDone\.\nThe bucket was not probed/,
    )
    expect(skipped.code).toBe(0)
    expect(r2.requests).toEqual([])

    const probed = await studio.deploy([], KEYS)
    expect(probed.output).toContain('The Worker keeps the keys that it has')
    expect(probed.code).toBe(0)
    expect(studio.read()).toHaveProperty('copy_guards')
  })

  it('probes another bucket anew, and sends nothing in a dry run', async () => {
    studio.end()
    const copy_guards = {
      bucket: 'another',
      probed_on: '2026-11-23',
      put: [OWNER],
      part: [OWNER],
      refuses_unsigned_copies: false,
    }
    studio = await Studio.with({ ...settings, copy_guards }, r2)
    studio.change((account) => ({ ...account, secrets: Object.keys(KEYS) }))
    const run = await studio.deploy(['--dry-run'])
    expect(run.output).toContain(
      `probes ${BUCKET} with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY (asked for)`,
    )
    expect(run.code).toBe(0)
    expect(r2.requests).toEqual([])
    expect(studio.read()).toMatchObject({ copy_guards })
  })

  it('leaves nothing behind when it is interrupted while it probes', async () => {
    r2.rules = [
      ({ isPart, isCopy }) => {
        if (isPart && isCopy) studio.interrupt()
        return undefined
      },
    ]
    const run = await studio.deploy([], KEYS)
    expect(run.output).toContain('✗ Interrupted.')
    expect(run.code).toBe(1)
    expect(liveChanges(run)).toEqual([])
    await expectNothingLeft()
  })

  it.each([
    { put: [DIRECTIVE], part: [OWNER] },
    { put: [OWNER], part: [] },
    { put: [], part: [] },
  ])('takes settings without a guard only where R2 refuses copies by itself: %j', async (guards) => {
    for (const refuses_unsigned_copies of [false, true]) {
      const copy_guards = { bucket: BUCKET, probed_on: '2026-11-23', ...guards, refuses_unsigned_copies }
      studio.end()
      studio = await Studio.with({ ...settings, copy_guards }, r2)
      const read = () => configurationOf(readSettings(studio.settings))
      if (!refuses_unsigned_copies) expect(read).toThrow('copy_guards: must have one of')
      else expect(read()).toMatchObject({ vars: { COPY_GUARDS_PUT: guards.put.join() || 'none' } })
    }
  })

  it('takes the guards from the probe only, not from the variables', async () => {
    studio.end()
    const variables = { ...settings.variables, COPY_GUARDS_PUT: 'none' }
    studio = await Studio.with({ ...settings, variables }, r2)
    expect(() => readSettings(studio.settings)).toThrow('they follow from copy_guards')
  })
})
