import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { dumpOf } from '../../scripts/backup/dump.ts'
import { signUp } from '../support/user.ts'

it('D1 takes every read of a backup, which allows fewer PRAGMAs than SQLite', async () => {
  const ada = await signUp('ada')
  const { id } = await ada.folder("Ada's")
  const query = async (sql: string) => (await env.DB.prepare(sql).all<Record<string, unknown>>()).results
  const statements: string[] = []
  for await (const statement of dumpOf(query, () => {})) statements.push(statement)
  const [file = ''] = statements.filter((statement) => statement.startsWith('INSERT INTO "files"'))
  expect(file).toContain(`VALUES ('${id}','${ada.id}',NULL,'Ada''s','folder',`)
  expect(statements).toContainEqual(expect.stringMatching(/^CREATE VIRTUAL TABLE catalogue_names/))
  expect(statements.at(-1)).toMatch(/^CREATE TRIGGER/)
})
