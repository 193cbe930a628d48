/** The R2 bucket: that it exists, its CORS rules, and the rules for uploads that are never completed and for the notes of erasures. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { putGuards } from '../../src/platform/config/copy-guards.ts'
import { folderOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { hintOf, inWords } from './place.ts'
import { domainsOf, JURISDICTIONS } from './settings.ts'
import { note, type Step, Stopped } from './step.ts'
import { labelledValues, WranglerFailed } from './wrangler.ts'

/** The headers of signed requests, which browsers ask for before they send them. */
const HEADERS = [
  'content-type',
  'content-disposition',
  'if-none-match',
  'x-amz-checksum-sha256',
  'x-amz-meta-upload',
  ...putGuards,
  'range',
]

/** R2's own rule for new buckets has the same days. */
const ABORT_AFTER_DAYS = 7

/** What the notes of erasures begin with (src/operators/erasure/log.ts), and how long they are of use: Time Travel reaches back 30 days. */
const [ERASURES, FORGET_AFTER_DAYS] = ['erased/', 31]

/** The CORS rules of a bucket that pages of these origins use. */
export function corsRules(origins: readonly string[]) {
  return {
    rules: [
      {
        allowed: { origins: [...origins], methods: ['GET', 'HEAD', 'PUT'], headers: HEADERS },
        exposeHeaders: ['ETag', 'Content-Range', 'Content-Disposition'],
        maxAgeSeconds: 3600,
      },
    ],
  }
}

/** R2's errors, with their numbers: the bucket, and its CORS rules, are not there. */
const NO_BUCKET = /code: 10006\b/
const NO_CORS = /code: 10059\b|CORS configuration does not exist/i

const inJurisdiction = (jurisdiction: string | undefined) =>
  jurisdiction === undefined ? [] : ['--jurisdiction', jurisdiction]

/** Creates the bucket, gives it its CORS rules, and rules that end incomplete uploads and remove the notes of erasures. */
export function bucket(deployment: Deployment): Step[] {
  const { wrangler, settings } = deployment
  const name = settings.bucket
  /** What wrangler lists as the lifecycle rules of the bucket; undefined when there is no bucket, as far as is known. */
  let lifecycle: string | undefined
  const { jurisdiction } = settings
  const run = (verb: string[], ...rest: string[]) =>
    wrangler.run(['r2', 'bucket', ...verb, name, ...rest, ...inJurisdiction(jurisdiction)])
  const rulesIn = (place: string | undefined) =>
    unless(NO_BUCKET, wrangler.run(['r2', 'bucket', 'lifecycle', 'list', name, ...inJurisdiction(place)]))
  /** An account may not be allowed to ask in each jurisdiction; then it has no bucket there. */
  const isIn = (place: string | undefined) =>
    rulesIn(place).then(
      (rules) => rules !== undefined,
      () => false,
    )
  /** R2 has buckets of the same name in each jurisdiction. One that is elsewhere is not replaced by an empty one. */
  const refuseElsewhere = async () => {
    for (const place of [undefined, ...JURISDICTIONS])
      if (place !== jurisdiction && (await isIn(place)))
        throw new Stopped(
          `There is a bucket ${name} ${inWords(place)}, and the settings want it ${inWords(jurisdiction)}.`,
          `A bucket can't be moved. If it is this service's, set "jurisdiction" to what it was; if not, choose another name.`,
        )
  }
  return [
    {
      name: 'Bucket',
      isDone: `${name} exists`,
      remedy: 'R2 has to be enabled once in the dashboard. Then run the command again.',
      plan: async () => {
        if (deployment.isLoggedIn) lifecycle = await rulesIn(jurisdiction)
        if (lifecycle !== undefined) return []
        if (deployment.isLoggedIn) await refuseElsewhere()
        const create = async () => {
          await run(['create'], ...hintOf(deployment.settings))
        }
        return [{ says: `creates the bucket ${name}`, act: create }]
      },
    },
    {
      name: 'CORS rules of the bucket',
      remedy: 'Set them by hand as docs/deploying.md says, or run the command again.',
      plan: async () => {
        const origins = originsOf(deployment)
        if (origins.length === 0) note("no origins: browsers can't use the bucket")
        if (origins.length === 0) return []
        const rules = corsRules(origins)
        const listed = lifecycle === undefined ? '' : await unless(NO_CORS, run(['cors', 'list']))
        if (isSame(labelledValues(listed ?? ''), rules)) return []
        const file = join(folderOf(settings), 'cors.json')
        const set = async () => {
          writeFileSync(file, JSON.stringify(rules, null, 2))
          await run(['cors', 'set'], '--file', file, '--force')
        }
        return [{ says: `sets the CORS rules of ${name}, for ${origins.join(', ')}`, act: set }]
      },
    },
    {
      name: 'Lifecycle of the bucket',
      remedy: 'Add the rule by hand in the dashboard, or run the command again.',
      plan: async () => {
        const rules = labelledValues(lifecycle ?? '')
        const enabled = rules.filter((rule) => rule.enabled === 'Yes')
        for (const rule of enabled)
          if (rule.action?.includes('Expire objects') && !forgetsErasures(rule))
            note(`Attention: the rule "${rule.name}" deletes objects that the service refers to.`)
        const add = (...rule: string[]) => run(['lifecycle', 'add'], ...rule, '--force')
        const [abort, forget] = [String(ABORT_AFTER_DAYS), String(FORGET_AFTER_DAYS)]
        const ends = async () => {
          // A new bucket comes with R2's own rule.
          if (labelledValues(await run(['lifecycle', 'list'])).some(endsUploads)) return
          await add('abort-incomplete-uploads', '--abort-multipart-days', abort)
        }
        const forgets = async () => {
          await add('forget-erasures', ERASURES, '--expire-days', forget)
        }
        return [
          ...(enabled.some(endsUploads)
            ? []
            : [{ says: `ends incomplete uploads in parts after ${abort} days, if no rule does`, act: ends }]),
          ...(enabled.some(forgetsErasures)
            ? []
            : [{ says: `removes the notes of erasures after ${forget} days`, act: forgets }]),
        ]
      },
    },
  ]
}

/** The pages that use the bucket: the settings' origins, and the console's, which is on the service's own address. */
function originsOf({ settings }: Deployment): string[] {
  const own = settings.variables.CONSOLE === 'on' ? domainsOf(settings).map((host) => `https://${host}`) : []
  return [...new Set([...settings.origins, ...own])]
}

/** What was printed; undefined when R2 refused with this error. */
async function unless(expected: RegExp, printed: Promise<string>): Promise<string | undefined> {
  try {
    return await printed
  } catch (error) {
    if (error instanceof WranglerFailed && expected.test(error.message)) return undefined
    throw error
  }
}

/** Whether the listed rules are these. R2 may list origins and headers in another order, and in lower case. */
function isSame(listed: Record<string, string>[], { rules }: ReturnType<typeof corsRules>): boolean {
  const wanted = rules.map(({ allowed, exposeHeaders, maxAgeSeconds }) => ({
    allowed_origins: allowed.origins.join(', '),
    allowed_methods: allowed.methods.join(', '),
    allowed_headers: allowed.headers.join(', '),
    exposed_headers: exposeHeaders.join(', '),
    max_age_seconds: String(maxAgeSeconds),
  }))
  const inOrder = (records: Record<string, string>[]) =>
    JSON.stringify(
      records.map((record) => Object.values(record).map((list) => list.toLowerCase().split(', ').sort())),
    )
  return inOrder(listed) === inOrder(wanted)
}

function endsUploads({ enabled, prefix, action = '' }: Record<string, string>): boolean {
  const [, days] = /Abort incomplete multipart uploads after (\d+) days/.exec(action) ?? []
  return enabled === 'Yes' && prefix === '(all prefixes)' && Number(days) <= ABORT_AFTER_DAYS
}

function forgetsErasures({ enabled, prefix, action = '' }: Record<string, string>): boolean {
  const [, days] = /Expire objects after (\d+) days/.exec(action) ?? []
  return enabled === 'Yes' && prefix === ERASURES && Number(days) === FORGET_AFTER_DAYS
}
