import { expect, it, vi } from 'vitest'
import { completeUpload } from '../../src/features/uploads/complete.ts'
import { startUpload } from '../../src/features/uploads/start.ts'
import { isId, rowidOf } from '../../src/platform/db/id.ts'
import { render } from '../../src/platform/db/sql.ts'
import { there } from '../support/acts.ts'
import { arrive } from '../support/content.ts'
import { contextOf } from '../support/context.ts'
import { homeOf } from '../support/databases.ts'
import { newUserId } from '../support/ids.ts'

it('completing a new asset takes another id when another asset has its number', async () => {
  const ada = contextOf(newUserId())
  const { upload } = await startUpload(ada, {
    purpose: 'asset',
    name: 'Castle',
    asset_type: 'world',
    visibility: 'private',
    size_bytes: 3,
    mime_type: 'text/plain',
    checksum_sha256: undefined,
  })
  await arrive(upload.id)

  const taken: string[] = []
  const write = ada.db.write.bind(ada.db)
  vi.spyOn(ada.db, 'write').mockImplementation(async (statements) => {
    const { completed } = statements
    if (taken.length === 0 && completed && !Array.isArray(completed)) {
      taken.push(...new Set(render(completed).params.filter(isId)))
      for (const id of taken) await takeNumberOf(ada.user_id, id)
    }
    return write(statements)
  })

  const { asset, upload: completed } = await completeUpload(ada, upload.id)
  expect(completed.state).toBe('completed')
  expect(taken).not.toContain(there(asset).id)
})

/** Creates another asset with the number of this id. */
async function takeNumberOf(user_id: string, id: string) {
  await homeOf(user_id)
    .prepare(
      `INSERT INTO game_assets (number, id, owner_id, type, name, search_name, visibility, created_at, updated_at)
      VALUES (CAST(?1 AS INTEGER), ?2, ?3, 'world', ?2, ?2, 'private', 1700000000, 1700000000)`,
    )
    .bind(rowidOf(id), crypto.randomUUID(), user_id)
    .run()
}
