/** npm run backup: writes the rows of each database of a deployment into a file of SQL (docs/going-back.md#backups). */
import { once } from 'node:events'
import { createWriteStream, mkdirSync, renameSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { dumpOf, type Query } from './backup/dump.ts'
import { ApiFailed, CloudflareApi } from './deploy/api.ts'
import { readSettings } from './deploy/settings.ts'
import { Wrangler } from './deploy/wrangler.ts'
import { project } from './development.ts'
import { orRefuse, readArguments } from './usage.ts'

const usage = `Usage: npm run backup [-- --settings production.json --output out/backups]

Reads all rows of each database, in pages and while the service runs, and writes them into a file of SQL for each:
out/backups/NAME-TIME.sql. docs/going-back.md#backups says what is not in it, and how to restore it.

  --settings  the file with the settings of the deployment (docs/deploying.md)
  --output    the folder for the files`

const { values } = readArguments(usage, {
  settings: { type: 'string', default: 'production.json' },
  output: { type: 'string', default: 'out/backups' },
})

/** How long a request that Cloudflare did not serve waits before each further attempt, in ms. */
const PAUSES = [1_000, 5_000, 30_000, 120_000]

const Rows = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }))

const path = resolve(project, values.settings)
const settings = orRefuse(() => readSettings(path), '')
const missing = settings.databases.filter(({ id }) => id === undefined)
const output = resolve(project, values.output)
const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')

try {
  if (settings.account_id === undefined || missing.length > 0)
    throw new Error(
      `${values.settings} lacks account_id or the id of a database: npm run deploy writes them.`,
    )
  const wrangler = new Wrangler()
  wrangler.account_id = settings.account_id
  const api = await CloudflareApi.as(wrangler)
  mkdirSync(output, { recursive: true })
  for (const { name, id } of settings.databases) {
    const database = `/accounts/${settings.account_id}/d1/database/${id}`
    await write(name, (sql) => patiently(() => rowsOf(api, database, sql)))
  }
} catch (error) {
  console.error(`✗ ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

/** Writes a database into its file, which has its name once it is complete. */
async function write(name: string, query: Query): Promise<void> {
  const file = join(output, `${name}-${time}.sql`)
  const stream = createWriteStream(`${file}.part`, { mode: 0o600 })
  let [rows, tables] = [0, 0]
  for await (const statement of dumpOf(query, (progress) => {
    rows += progress.rows
    tables++
  }))
    if (!stream.write(`${statement};\n`)) await once(stream, 'drain')
  stream.end()
  await once(stream, 'finish')
  renameSync(`${file}.part`, file)
  console.log(
    `✓ ${name}: ${rows.toLocaleString('en')} rows of ${tables} tables in ${relative(project, file)}`,
  )
}

async function rowsOf(api: CloudflareApi, database: string, sql: string) {
  const answers = await api.post(Rows, `${database}/query`, { sql })
  return answers.flatMap(({ results }) => results)
}

/** Repeats a read that Cloudflare did not serve. A refusal is thrown at once. */
async function patiently<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (const wait of PAUSES)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ApiFailed && error.isPassing)) throw error
      await pause(wait)
    }
  return read()
}
