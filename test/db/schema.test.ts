import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/db/id.ts'
import { asset, variant } from '../support/acts.ts'
import { contextOf } from '../support/context.ts'
import { newUserId } from '../support/ids.ts'
import { seedSiblings } from '../support/seed.ts'

const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run()

/** What the database refuses by itself, whatever code asks it. */
describe('the schema', () => {
  it('takes no row for a user without an account, so nothing goes uncounted', async () => {
    const file = `INSERT INTO files (id, owner_id, name, asset_type, size_bytes, created_at, updated_at)
      VALUES (?, 'nobody', 'x', 'folder', 0, 1, 1)`
    await expect(run(file, newId('nobody'))).rejects.toThrow('no usage row')
    const upload = `INSERT INTO uploads (id, owner_id, upload_type, file_id, size_bytes, mime_type, created_at, expires_at, url_ttl)
      VALUES (?, 'nobody', 'file', 'x', 1, 'a/b', 1, 1, 1)`
    await expect(run(upload, newId('nobody'))).rejects.toThrow('no usage row')
  })

  it('gives no file content that is queued for deletion', async () => {
    const owner = newUserId()
    await seedSiblings(owner, null, 1)
    await run('INSERT INTO garbage (object_key, writable_until) VALUES (?, 1)', `gone ${owner}`)
    const update = 'UPDATE files SET object_key = ? WHERE owner_id = ?'
    await expect(run(update, `gone ${owner}`, owner)).rejects.toThrow('that content is queued for deletion')
  })

  it.each([
    ['version', 'asset_versions', 'id, version', '?2, 2'],
    ['variant', 'asset_variants', 'platform, version', `'ios', 1`],
  ])(
    'gives no %s content that is being deleted, and any that only waits for that',
    async (_, table, columns, values) => {
      const work = contextOf(newUserId())
      const { id } = await asset(work)
      const key = newId(work.user_id)
      const insert = `INSERT INTO ${table} (asset_id, size_bytes, mime_type, object_key, created_at, ${columns})
      VALUES (?1, 1, 'a/b', ?2, 1, ${values})`
      await run('INSERT INTO garbage (object_key, writable_until, is_version) VALUES (?, 1, 0)', key)
      await expect(run(insert, id, key)).rejects.toThrow('that content is queued for deletion')
      await run('UPDATE garbage SET is_version = 1, deleting = 1 WHERE object_key = ?', key)
      await expect(run(insert, id, key)).rejects.toThrow('that content is queued for deletion')
      await run('UPDATE garbage SET deleting = 0 WHERE object_key = ?', key)
      await run(insert, id, key)
    },
  )

  it('reopens no upload, and changes neither its owner nor its size', async () => {
    const owner = newUserId()
    await seedSiblings(owner, null, 1)
    await run(
      `INSERT INTO uploads (id, owner_id, upload_type, file_id, size_bytes, mime_type, created_at, expires_at, url_ttl)
      VALUES (?1, ?1, 'file', 'x', 1, 'a/b', 1, 1, 1)`,
      owner,
    )
    await expect(run('UPDATE uploads SET size_bytes = 0 WHERE id = ?', owner)).rejects.toThrow(
      'keeps its owner and its size',
    )
    await run(`UPDATE uploads SET state = 'completed' WHERE id = ?`, owner)
    await expect(run(`UPDATE uploads SET state = 'open' WHERE id = ?`, owner)).rejects.toThrow('stays ended')
  })

  it('completes no upload that waits for its verdict, and keeps a verdict, whatever version of the service asks', async () => {
    const owner = newUserId()
    await seedSiblings(owner, null, 1)
    await run(
      `INSERT INTO uploads (id, owner_id, upload_type, file_id, size_bytes, mime_type, created_at, expires_at, url_ttl,
        check_state, check_began_at, check_next_at) VALUES (?1, ?1, 'file', 'x', 1, 'a/b', 1, 1, 1, 'waiting', 1, 1)`,
      owner,
    )
    await expect(run(`UPDATE uploads SET state = 'completed' WHERE id = ?`, owner)).rejects.toThrow(
      'refused:UNAVAILABLE',
    )
    const verdict = `UPDATE uploads SET check_next_at = NULL, check_state = ? WHERE id = ?`
    await run(verdict, 'ready', owner)
    await expect(run(verdict, 'failed', owner)).rejects.toThrow('a verdict is final')
    await run(`UPDATE uploads SET state = 'completed' WHERE id = ?`, owner)
  })

  it('moves no item to another owner, and marks nothing for purging that is not in the trash', async () => {
    const owner = newUserId()
    await seedSiblings(owner, null, 1)
    await expect(run(`UPDATE files SET owner_id = 'x' WHERE owner_id = ?`, owner)).rejects.toThrow(
      'changes its owner',
    )
    await expect(run(`UPDATE files SET purging = 1 WHERE owner_id = ?`, owner)).rejects.toThrow('CHECK')
  })

  it('changes of a version only what says who can read it, and nothing of a variant', async () => {
    const work = contextOf(newUserId())
    const { id } = await asset(work)
    await variant(work, id, { version: 1, platform: 'ios' })
    const content = ['asset_id', 'version', 'platform', 'size_bytes', 'mime_type', 'object_key']
    const common = [...content, 'checksum_sha256', 'created_at']
    for (const column of [...common, 'id', 'branched_from_asset_id', 'branched_from_version'])
      await expect(
        run(`UPDATE asset_versions SET ${column} = ${column} WHERE asset_id = ?`, id),
        column,
      ).rejects.toThrow('a version never changes')
    for (const column of common)
      await expect(
        run(`UPDATE asset_variants SET ${column} = ${column} WHERE asset_id = ?`, id),
        column,
      ).rejects.toThrow('a variant never changes')
    await run('UPDATE asset_versions SET notes = notes, min_build = 1, max_build = 2 WHERE asset_id = ?', id)
  })

  it('gives the channel live no key, and every other one a key', async () => {
    const { id } = await asset(contextOf(newUserId()))
    const insert =
      'INSERT INTO asset_channels (asset_id, channel, version, key, updated_at) VALUES (?, ?, 1, ?, 1)'
    await expect(run(insert, id, 'live', 'key')).rejects.toThrow('CHECK')
    await expect(run(insert, id, 'beta', null)).rejects.toThrow('CHECK')
  })

  it('calls nothing ready that has no content', async () => {
    const owner = newUserId()
    await seedSiblings(owner, null, 4)
    const update = `UPDATE files SET object_key = NULL WHERE owner_id = ? AND processing_state = 'ready'`
    await expect(run(update, owner)).rejects.toThrow('CHECK')
  })
})
