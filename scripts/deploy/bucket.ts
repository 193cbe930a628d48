/** Creates the R2 bucket, and sets its CORS rules and its lifecycle rules for incomplete uploads and notes of erasures. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { putGuards } from '../../src/platform/config/copy-guards.ts'
import { jurisdictions } from '../../src/platform/config/places.ts'
import { ApiFailed, CloudflareApi } from './api.ts'
import { folderOf } from './configuration.ts'
import type { Deployment } from './deployment.ts'
import { hintOf, inWords } from './place.ts'
import { domainsOf } from './settings.ts'
import { note, type Step, Stopped } from './step.ts'
import { labelledValues, WranglerFailed } from './wrangler.ts'

/** The headers of signed requests, which a browser's preflight asks for. */
const HEADERS = [
  'content-type',
  'content-disposition',
  'if-none-match',
  'x-amz-checksum-sha256',
  'x-amz-meta-upload',
  ...putGuards,
  'range',
]

/** The same number as in R2's own rule for new buckets. */
const ABORT_AFTER_DAYS = 7

/** The key prefix of the notes of erasures (src/operators/erasure/repeat.ts), kept one day longer than Time Travel reaches back. */
const [ERASURES, FORGET_AFTER_DAYS] = ['erased/', 31]

/** The CORS rules that let pages on these origins use the bucket. */
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

/** A bucket in Cloudflare's API, with its location in upper or lower case. */
const Bucket = z.object({ location: z.string().optional() })

/** R2's errors for a missing bucket and for missing CORS rules. */
const NO_BUCKET = /code: 10006\b/
const NO_CORS = /code: 10059\b|CORS configuration does not exist/i

const inJurisdiction = (jurisdiction: string | undefined) =>
  jurisdiction === undefined ? [] : ['--jurisdiction', jurisdiction]

/** The steps for the bucket: its creation, its CORS rules, and its lifecycle rules. */
export function bucket(deployment: Deployment): Step[] {
  const { wrangler, settings } = deployment
  const name = settings.bucket
  /** wrangler's list of the bucket's lifecycle rules; undefined when the bucket does not exist, or nobody is logged in. */
  let lifecycle: string | undefined
  const { jurisdiction } = settings
  const run = (verb: string[], ...rest: string[]) =>
    wrangler.run(['r2', 'bucket', ...verb, name, ...rest, ...inJurisdiction(jurisdiction)])
  const rulesIn = (place: string | undefined) =>
    unless(NO_BUCKET, wrangler.run(['r2', 'bucket', 'lifecycle', 'list', name, ...inJurisdiction(place)]))
  /** An account that may not use a jurisdiction gets an error, and has no bucket there. */
  const isIn = (place: string | undefined) =>
    rulesIn(place).then(
      (rules) => rules !== undefined,
      () => false,
    )
  /** R2 has buckets of equal names in different jurisdictions: an existing one must not be replaced by a new, empty one. */
  const refuseElsewhere = async () => {
    for (const place of [undefined, ...jurisdictions])
      if (place !== jurisdiction && (await isIn(place)))
        throw new Stopped(
          `There is a bucket ${name} ${inWords(place)}, and the settings want it ${inWords(jurisdiction)}.`,
          `A bucket can't be moved. If it is this service's, set "jurisdiction" to what it was; if not, choose another name.`,
        )
  }
  return [
    {
      name: 'Bucket',
      doneMessage: `${name} exists`,
      remedy: 'R2 has to be enabled once in the dashboard. Then run the command again.',
      plan: async () => {
        if (deployment.isLoggedIn) lifecycle = await rulesIn(jurisdiction)
        if (lifecycle !== undefined) await noteOtherLocation(deployment)
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
          // A bucket that this run has created has R2's default rule.
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

/**
 * Notes that the existing bucket is in another location than the settings name. The deployment goes on, because a location is a
 * hint, which R2 may not follow.
 */
async function noteOtherLocation({ settings, wrangler, file }: Deployment): Promise<void> {
  const { bucket: name, location } = settings
  if (hintOf(settings).length === 0) return
  try {
    const api = await CloudflareApi.as(wrangler)
    const found = await api.get(Bucket, `/accounts/${wrangler.account_id}/r2/buckets/${name}`)
    if (found.location === undefined || found.location.toLowerCase() === location) return
    note(`Attention: the bucket ${name} is in ${found.location}, and ${file} says ${location}.`)
    note(
      "A bucket can't be moved, and R2 follows a location only for a name that it has never had. Without content yet, choose another name for it.",
    )
  } catch (error) {
    if (!(error instanceof ApiFailed)) throw error
    note(`Where the bucket ${name} is may not be read: ${error.message}`)
  }
}

/** The origins of pages that use the bucket: those of the settings, and the service's own if it serves the console. */
function originsOf({ settings }: Deployment): string[] {
  const own = settings.variables.CONSOLE === 'on' ? domainsOf(settings).map((host) => `https://${host}`) : []
  return [...new Set([...settings.origins, ...own])]
}

/** The output of wrangler; undefined when it failed with the expected error. */
async function unless(expected: RegExp, printed: Promise<string>): Promise<string | undefined> {
  try {
    return await printed
  } catch (error) {
    if (error instanceof WranglerFailed && expected.test(error.message)) return undefined
    throw error
  }
}

/** Whether the listed rules equal `rules`, in any order and case, which R2 does not preserve. */
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
