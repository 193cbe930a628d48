/** The settings of a deployment: one JSON file for each, apart from those of development. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, 'must be 3 to 63 of a-z, 0-9 and -, without - at an end')
const origin = z
  .string()
  .refine(
    (text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
    'must be an origin, as in https://game.example',
  )

const Database = z.strictObject({
  binding: z.string().regex(/^DB(_[1-9]\d*)?$/, 'must be DB, DB_1, DB_2, …'),
  name: z.string().regex(/^[\w-]{1,64}$/, 'must be the name of a database: letters, digits, _ and -'),
  id: z.uuid().optional(),
})

const Settings = z.strictObject({
  $comment: z.string().optional(),
  name,
  account_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the id of a Cloudflare account: 32 hexadecimal digits')
    .optional(),
  domain: z
    .string()
    .regex(/^[a-z0-9.-]+\.[a-z]+$/, 'must be a host name, as in storage.game.example')
    .optional(),
  jurisdiction: z.enum(['eu', 'fedramp']).optional(),
  databases: z
    .array(Database)
    .min(1)
    .refine((all) => all[0]?.binding === 'DB', 'the first one must have the binding DB')
    .refine((all) => areDistinct(all.map(({ binding }) => binding)), 'must have different bindings')
    .refine((all) => areDistinct(all.map((database) => database.name)), 'must have different names'),
  bucket: name,
  queue: name.optional(),
  check_queue: name.optional(),
  content_checker: name.optional(),
  origins: z.array(origin),
  cron: z.string().nullable().default('*/5 * * * *'),
  rate_limit_namespaces: z
    .record(z.string(), z.string().regex(/^[1-9]\d*$/, 'must be a whole number, as a string'))
    .default({}),
  metrics_dataset: z.string().regex(/^\w+$/, 'must have letters, digits and _ only').optional(),
  variables: z.record(z.string(), z.string()),
})

/** The variables that are secrets. They stand in no file: the command asks for them, or takes them from the environment. */
export const NAMES_OF_SECRETS = [
  'JWT_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'WEBHOOK_SECRET',
  'CONTENT_CHECK_SECRET',
]

/** The settings of a deployment (docs/deploying.md). */
export type Settings = z.output<typeof Settings>

function areDistinct(texts: string[]): boolean {
  return new Set(texts).size === texts.length
}

/**
 * Reads the settings from a file.
 *
 * @throws Error when there is no such file, or when a setting is missing or wrong: a line for each
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

/** Writes what the platform has given into the file: the account, and the ids of databases. The rest stays as it is. */
export function noteInSettings(
  path: string,
  given: { account_id?: string; ids?: ReadonlyMap<string, string> },
): Settings {
  const text = readFileSync(path, 'utf8')
  const settings: Partial<Settings> = JSON.parse(text)
  const noted = {
    ...settings,
    ...(given.account_id !== undefined && { account_id: given.account_id }),
    databases: settings.databases?.map((database) => {
      const id = given.ids?.get(database.binding) ?? database.id
      return { ...database, ...(id !== undefined && { id }) }
    }),
  }
  const written = `${JSON.stringify(noted, null, 2)}\n`
  writeFileSync(path, written)
  return parseSettings(written, path)
}
