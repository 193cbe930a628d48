/** The settings of a deployment: a JSON file for each deployment. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { partGuards, putGuards, refusesCopies } from '../../src/platform/config/copy-guards.ts'
import { jurisdictions } from '../../src/platform/config/places.ts'

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, 'must be 3 to 63 of a-z, 0-9 and -, without - at an end')
const origin = z
  .string()
  .refine(
    (text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
    'must be an origin, as in https://game.example',
  )

const host = z.string().regex(/^[a-z0-9.-]+\.[a-z]+$/, 'must be a host name, as in storage.game.example')

/** The location hints of D1 and R2, and `automatic`, which leaves the choice to the platform. */
export const LOCATIONS = {
  weur: 'Western Europe',
  eeur: 'Eastern Europe',
  apac: 'Asia and the Pacific',
  oc: 'Oceania',
  wnam: 'Western North America',
  enam: 'Eastern North America',
  automatic: 'near the machine that runs this command',
}
export const isLocation = (text: string): text is keyof typeof LOCATIONS => Object.hasOwn(LOCATIONS, text)

/** The modes of D1's read replication. */
const REPLICATION_MODES = ['auto', 'disabled'] as const

const Database = z.strictObject({
  binding: z.string().regex(/^(DB(_[1-9]\d*)?|CATALOG)$/, 'must be DB, DB_1, DB_2, …, or CATALOG'),
  name: z.string().regex(/^[\w-]{1,64}$/, 'must be the name of a database: letters, digits, _ and -'),
  id: z.uuid().optional(),
})

/** The result of the probe (copy-probe.ts): the guards that R2 accepts and that prevent copies. */
const CopyGuards = z
  .strictObject({
    bucket: name,
    probed_on: z.iso.date(),
    put: z.array(z.enum(putGuards)),
    part: z.array(z.enum(partGuards)),
    refuses_unsigned_copies: z.boolean(),
  })
  .refine(
    ({ put, part, refuses_unsigned_copies: refuses }) =>
      refuses || (put.some(refusesCopies) && part.some(refusesCopies)),
    `must have one of ${partGuards.join(' and ')} in put and in part: nothing else refuses copies`,
  )

const COPY_GUARDS = 'must not have COPY_GUARDS_PUT or COPY_GUARDS_PART: they follow from copy_guards'

const Members = z.strictObject({
  $comment: z.string().optional(),
  name,
  account_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the id of a Cloudflare account: 32 hexadecimal digits')
    .optional(),
  domain: z
    .union([host, z.array(host).min(1).refine(areDistinct, 'must have different host names')])
    .optional(),
  zone: host.optional(),
  location: z
    .string()
    .refine(isLocation, `must be one of ${Object.keys(LOCATIONS).join(', ')}`)
    .optional(),
  jurisdiction: z.enum(jurisdictions).optional(),
  databases: z
    .array(Database)
    .min(1)
    .refine((all) => all[0]?.binding === 'DB', 'the first one must have the binding DB')
    .refine((all) => areDistinct(all.map(({ binding }) => binding)), 'must have different bindings')
    .refine((all) => areDistinct(all.map((database) => database.name)), 'must have different names'),
  read_replication: z.enum(REPLICATION_MODES).nullable().default('auto'),
  bucket: name,
  queue: name.optional(),
  check_queue: name.optional(),
  content_checker: name.optional(),
  origins: z.array(origin),
  cron: z.string().nullable().default('*/5 * * * *'),
  rate_limit_namespaces: z
    .record(z.string(), z.string().regex(/^[1-9]\d*$/, 'must be a whole number, as a string'))
    .default({}),
  cpu_ms: z.int().min(1).max(300_000).nullable().optional(),
  picture_cache: z.boolean().optional(),
  metrics_dataset: z.string().regex(/^\w+$/, 'must have letters, digits and _ only').optional(),
  copy_guards: CopyGuards.optional(),
  variables: z
    .record(z.string(), z.string())
    .refine((set) => !Object.keys(set).some((name) => name.startsWith('COPY_GUARDS_')), COPY_GUARDS),
})

/** The settings that conflict with another one, each with the reason. */
function conflicts(settings: z.output<typeof Members>): [name: string, why: string][] {
  const { zone, location, jurisdiction, variables } = settings
  const domains = domainsOf(settings)
  const outside = domains.filter((domain) => domain !== zone && !domain.endsWith(`.${zone}`))
  const found: [string, boolean, string][] = [
    ['zone', zone !== undefined && domains.length === 0, 'needs a domain'],
    ['zone', zone !== undefined && outside.length > 0, `does not hold ${outside.join(', ')}`],
    ['location', location !== undefined && jurisdiction !== undefined, 'name this or jurisdiction, not both'],
    ['variables.LOCATION', Boolean(variables.LOCATION), 'is set by location, or empty'],
    ['variables.JURISDICTION', Boolean(variables.JURISDICTION), 'is set by jurisdiction, or empty'],
  ]
  return found.flatMap(([name, isWrong, why]) => (isWrong ? [[name, why]] : []))
}

const Settings = Members.superRefine((settings, ctx) => {
  for (const [name, message] of conflicts(settings)) ctx.addIssue({ code: 'custom', path: [name], message })
})

/** The variables that are secrets. No file has them: the command asks for them, or takes them from the environment. */
export const NAMES_OF_SECRETS = [
  'JWT_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'WEBHOOK_SECRET',
  'CONTENT_CHECK_SECRET',
]

/** The settings of a deployment (docs/deploying.md). */
export type Settings = z.output<typeof Settings>

/** The host names that the Worker serves. The smoke test runs on the first. */
export function domainsOf({ domain = [] }: Pick<Settings, 'domain'>): string[] {
  return typeof domain === 'string' ? [domain] : domain
}

function areDistinct(texts: string[]): boolean {
  return new Set(texts).size === texts.length
}

/**
 * Reads the settings from a file.
 *
 * @throws Error when the file is missing, or with a line for each setting that is missing or wrong
 */
export function readSettings(path: string): Settings {
  if (!existsSync(path))
    throw new Error(
      `There is no ${path}. Copy docs/production.example.json to it, and put your own values into it.`,
    )
  return parseSettings(readFileSync(path, 'utf8'), path)
}

function parseSettings(text: string, path: string): Settings {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new Error(`${path} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  const result = Settings.safeParse(json)
  if (result.success) return result.data
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.') || 'all'}: ${issue.message}`)
  throw new Error(`${path} can't be used:\n${lines.join('\n')}`)
}

/** Values that a deployment writes into its settings. */
export interface Noted {
  account_id?: string
  /** The location of databases and bucket. */
  location?: string
  /** The ids of databases, by their bindings. */
  ids?: ReadonlyMap<string, string>
  copy_guards?: NonNullable<Settings['copy_guards']>
}

/** Writes ids and findings into the file, and keeps all other settings. Returns the new settings. */
export function noteInSettings(path: string, given: Noted): Settings {
  const text = readFileSync(path, 'utf8')
  const settings: Partial<Settings> = JSON.parse(text)
  const noted = {
    ...settings,
    ...(given.account_id !== undefined && { account_id: given.account_id }),
    ...(given.copy_guards !== undefined && { copy_guards: given.copy_guards }),
    ...(given.location !== undefined && { location: given.location }),
    databases: settings.databases?.map((database) => {
      const id = given.ids?.get(database.binding) ?? database.id
      return { ...database, ...(id !== undefined && { id }) }
    }),
  }
  const written = `${JSON.stringify(noted, null, 2)}\n`
  writeFileSync(path, written)
  return parseSettings(written, path)
}
