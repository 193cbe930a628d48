import { env } from 'cloudflare:test'
import { inject } from 'vitest'
import { everywhere, homeOf, startOver } from '../../support/databases.ts'
import { endMoves } from '../../support/moving.ts'
import {
  hintBranches,
  hintShares,
  roomy,
  seedAssets,
  seededAsset,
  seedFolders,
  seedHostileNames,
  seedSiblings,
  seedVersions,
} from '../../support/seed.ts'
import type { Coverage } from './coverage.ts'
import { Dice } from './dice.ts'
import { happen, SignedUrls } from './events.ts'
import { Generator } from './generate.ts'
import { learn } from './learn.ts'
import { type Operation, operationAt } from './operations.ts'
import { assemble, forgedTokens, type Person } from './people.ts'
import { Pool } from './pool.ts'
import { exchange, Unsendable } from './send.ts'
import { isRequest, type RequestStep, resolve, told } from './step.ts'

/**
 * As many rows of D1 as one request may read, whatever it is and whatever anybody has stored: ten times the usual. An
 * erasure, which takes a token with a scope, reads about 8,400 of a user with much of everything, however much it is. A deletion
 * from the trash reads 14,464 of a folder with 192 folders or more: it removes 64 of a kind on three levels
 * (src/features/trash/purge.ts).
 * What operators' commands ask for goes through whole databases, in portions that src/operators/shards/mover/budget.ts and PAGE in
 * src/operators/reconcile/page.ts bound.
 */
const MOST_ROWS = 5_000
const MOST_ROWS_OF = new Map([
  ['eraseUser', 10_000],
  ['purgeFile', 20_000],
  ['emptyTrash', 20_000],
])

/** As many items of one user as no request may read, a further sibling costing a row at least. */
const MANY = inject('proof').amount > 0 ? 20_000 : 6_000

/** Limits that nothing of it comes to. No events: what writing them costs is measured in bench/attacks.ts. */
const limits = { ...roomy, WEBHOOK_URL: '' }

/**
 * Requests like any round's, but in a database that is full: of one user's items, trash, folders and shares, of
 * another's public assets under names that look alike, of versions. What is stored is not compared, which would take too
 * long; every answer is a described one, and none costs more than it may. Tells what was too much, by step.
 */
export async function costliest(
  operations: Operation[],
  coverage: Coverage,
  { seed, requests }: { seed: number; requests: number },
): Promise<{ most: number; faults: string[] }> {
  await startOver() // the rounds before have moved partitions
  const people = await assemble()
  const cast = { people: people.map(({ user }) => user.id), tokens: await forgedTokens(people) }
  await fill(people)
  const pool = new Pool()
  const urls = new SignedUrls()
  const generator = new Generator(new Dice(seed), operations, people, pool)
  const faults: string[] = []
  let most = 0

  const ask = async (step: RequestStep): Promise<void> => {
    const request = resolve(step, pool, cast)
    const person = step.who === undefined ? undefined : people[step.who]
    const at = 'http://localhost'
    const { pathname } = URL.canParse(request.path, at) ? new URL(request.path, at) : { pathname: '' }
    const operation = operationAt(operations, request.method, pathname)
    if (operation?.id === 'getContent') await putContent(pathname.split('/')[3] ?? '')
    const cost = { rows_read: 0 }
    const answer = await exchange(request, person, (socket) => socket.accept(), { limits, cost })
    const exchanged = { number: step.number, who: step.who, operation, request, answer }
    coverage.count(exchanged)
    await endMoves()
    learn(pool, exchanged, cast.people)
    const upload = urls.keep(exchanged)
    if (upload !== undefined) generator.sendable(upload)
    if (operation?.isForOperators) return
    most = Math.max(most, cost.rows_read)
    const allowed = MOST_ROWS_OF.get(operation?.id ?? '') ?? MOST_ROWS
    if (cost.rows_read > allowed) faults.push(`${cost.rows_read} rows: ${answer.status} ${told(step)}`)
  }
  for (let asked = 0; asked < requests; asked++) {
    const step = generator.next()
    if (!isRequest(step)) await happen(step, pool, urls)
    else
      await ask(step).catch((error: unknown) => {
        if (!(error instanceof Unsendable)) faults.push(`${error} ${told(step)}`)
      })
  }
  return { most, faults }
}

/** Puts the content of a file that was seeded as a row: 20,000 objects would take minutes, and few are asked for. */
async function putContent(id: string): Promise<void> {
  const rows = await everywhere<{ key: string; size_bytes: number }>(
    `SELECT object_key AS key, size_bytes FROM files WHERE id = ? AND object_key LIKE 'object-%'`,
    id,
  )
  for (const { key, size_bytes } of rows) await env.BUCKET.put(key, new Uint8Array(size_bytes))
}

/** Fills the database with what the first three have stored. */
async function fill(people: Person[]): Promise<void> {
  const [ada = '', bob = '', carol = ''] = people.map(({ user }) => user.id)
  await seedSiblings(ada, null, MANY)
  await seedSiblings(bob, null, 6_000)
  const folder = await homeOf(ada)
    .prepare(
      `SELECT id FROM files WHERE owner_id = ? AND asset_type = 'folder' ORDER BY created_at DESC, id DESC LIMIT 1`,
    )
    .bind(ada)
    .first<string>('id')
  await seedFolders(ada, folder ?? '', 6_000)
  await seedHostileNames([bob, carol, ada], 1, 6_000)
  const source = seededAsset(carol, 'of carol', 1)
  await seedAssets({ owner_id: carol, prefix: 'of carol', from: 1, to: 1 })
  await seedVersions(source, 6_000)
  await seedAssets({ owner_id: ada, prefix: 'of ada', from: 1, to: 6_000, branched_from: source })
  await hintBranches(source, [ada])
  await homeOf(ada)
    .prepare(
      `INSERT INTO shares (id, file_id, owner_id, grantee_id, permission, expires_at, created_at)
      SELECT id || ' share', id, owner_id, ?1, 'view', iif(created_at % 2, 1, NULL), created_at FROM files
      WHERE owner_id = ?2 AND parent_id IS NULL AND asset_type <> 'folder' LIMIT 6000`,
    )
    .bind(carol, ada)
    .run()
  await hintShares(ada, carol)
  await homeOf(bob)
    .prepare('UPDATE files SET trashed_at = created_at * 1000 WHERE owner_id = ?')
    .bind(bob)
    .run()
}
