import { type SQL, sql } from 'drizzle-orm'
import { assetsOf, filesOf, type Owners, uploadsOf } from '../../features/content/owned-rows.ts'
import { ROWS_OF_USER } from '../user-rows.ts'
import { asList, type ComparedPage, type Finding, type ReconcileContext } from './page.ts'
import { contentsOf, listMissing, partsOf, unlistWrong, wronglyListed } from './parts.ts'

/** How many users a page has at most, and about how many rows they have together. A single user may have more. */
const [MAX_USERS, MAX_ROWS] = [200, 20_000]

const one: Owners = { from: sql.empty(), id: sql`one.user_id` }
const assets = assetsOf(one)

/** The columns of `usage` that count rows, with the SQL that counts them for `one.user_id`. */
const counters: Record<string, SQL> = {
  items: count(filesOf(one)),
  used_bytes: sql`(SELECT coalesce(sum(charged_bytes), 0) FROM (${filesOf(one, ['charged_bytes'])}))
    + (SELECT coalesce(sum(size_bytes), 0) FROM (${uploadsOf(one, ['size_bytes', 'state'])}) WHERE state IN ('open', 'completing'))
    + (SELECT coalesce(sum(preview_bytes), 0) FROM (${assetsOf(one, ['preview_bytes'])}))
    + (SELECT coalesce(sum(content.size_bytes), 0) ${contentsOf(one)})`,
  assets: count(assets),
  public_assets: sql`(SELECT count(*) FROM (${assetsOf(one, ['visibility', 'deleted_at'])})
    WHERE visibility = 'public' AND deleted_at IS NULL)`,
  versions: sql`(SELECT count(*) FROM (${assets}) AS asset CROSS JOIN asset_versions ON asset_id = asset.id)
    + (SELECT count(*) FROM (${assets}) AS asset CROSS JOIN asset_variants ON asset_id = asset.id)`,
  open_uploads: sql`(SELECT count(*) FROM (${uploadsOf(one, ['state'])}) WHERE state IN ('open', 'completing'))`,
  ended_uploads: sql`(SELECT count(*) FROM (${uploadsOf(one, ['state'])}) WHERE state IN ('completed', 'failed'))`,
  writable_keys: sql`(SELECT count(*) FROM garbage WHERE owner_id = one.user_id)`,
  idempotency_keys: sql`(SELECT count(*) FROM idempotency WHERE caller_id = one.user_id)`,
  kept_bytes: sql`(SELECT coalesce(sum(kept_bytes), 0) FROM garbage WHERE kept_for = one.user_id)`,
  favorites: sql`(SELECT count(*) FROM favorites WHERE user_id = one.user_id)`,
  mutes: sql`(SELECT count(*) FROM mutes WHERE user_id = one.user_id)`,
  // The job counts the parts of users who are older than them.
  parts: sql`iif((SELECT parts FROM usage AS old WHERE old.user_id = one.user_id) IS NULL, NULL, ${partsOf(one)})`,
}

const names = Object.keys(counters)
const list = (of: (name: string) => string) => sql.raw(names.map(of).join(', '))

/**
 * Counts the rows of the next users and compares the counts with their counters. A repair corrects counters in the counting
 * statement; `moving = 1` keeps triggers from refusing counts above a limit. It compares the users' large versions, too. The last
 * page also counts the outbox.
 */
export async function compareCounters(ctx: ReconcileContext): Promise<ComparedPage> {
  const db = ctx.databases.whole(ctx.database)
  const users = await db.read(
    sql<{ user_id: string; last: string }>`SELECT user_id, max(user_id) OVER () AS last FROM (
        SELECT user_id, size, sum(size) OVER (ORDER BY user_id) AS total FROM (
          SELECT user_id, ${ROWS_OF_USER} AS size FROM usage WHERE user_id > ${ctx.after} ORDER BY user_id LIMIT ${MAX_USERS}
        )
      ) WHERE total <= ${MAX_ROWS} OR total = size`,
  )
  const some = asList(users.map(({ user_id }) => user_id))
  const recount = sql`SELECT one.user_id AS user_id, ${sql.join(
    names.map((name) => sql`${counters[name]} AS ${sql.raw(name)}`),
    sql.raw(', '),
  )} FROM (SELECT value AS user_id FROM json_each(${some})) AS one`
  const differs = sql`(${list((name) => `usage.${name}`)}) IS NOT (${list((name) => `found.${name}`)})`
  // The job lists the large versions of users whose parts it has not counted.
  const listed = sql`SELECT user_id FROM usage WHERE parts IS NOT NULL AND user_id IN (SELECT value FROM json_each(${some}))`
  const owners = { from: sql`(${listed}) AS owner CROSS JOIN`, id: sql`owner.user_id` }
  const { counted, misplaced } = ctx.isRepair
    ? await db.write({
        counted: sql<{
          user_id: string
        }>`UPDATE usage SET moving = 1, ${list((name) => `${name} = found.${name}`)}
            FROM (${recount}) AS found WHERE usage.user_id = found.user_id AND moving = 0 AND ${differs}
            RETURNING usage.user_id AS user_id`,
        done: sql`UPDATE usage SET moving = 0 WHERE moving = 1 AND user_id IN (SELECT value FROM json_each(${some}))`,
        misplaced: wronglyListed(owners),
        removed: unlistWrong(listed),
        added: listMissing(owners),
      })
    : await db.read({
        counted: sql<{ user_id: string }>`WITH found AS MATERIALIZED (${recount})
          SELECT usage.user_id AS user_id FROM found CROSS JOIN usage ON usage.user_id = found.user_id
          WHERE ${differs}`,
        misplaced: wronglyListed(owners),
      })
  const found = new Set([...counted, ...misplaced].map(({ user_id }) => user_id))
  const next = users[0]?.last ?? null
  const ofUsers: Finding[] = [...found].map((user_id) => ({
    problem: 'counters_differ',
    id: user_id,
    owner_id: user_id,
    is_repaired: ctx.isRepair,
  }))
  return {
    looked_at: users.length,
    next,
    found: [...ofUsers, ...(next === null ? await compareOutbox(ctx) : [])],
  }
}

function count(rows: SQL): SQL {
  return sql`(SELECT count(*) FROM (${rows}))`
}

/** An owner gets a row in `outbox_counts` at ADDED_AT events and loses it below KEPT_FROM (migrations/0011_events.sql). */
const [ADDED_AT, KEPT_FROM] = [16, 8]

/** SQL: the number of events of each owner, and of all owners as `''`. */
const recount = sql`SELECT owner_id, count(*) AS events FROM outbox WHERE owner_id <> '' GROUP BY owner_id
  UNION ALL SELECT '', count(*) FROM outbox`

/** SQL: the owners whose row is missing, superfluous or has a wrong count. */
const wrong = sql<{ owner_id: string }>`WITH found AS MATERIALIZED (${recount})
  SELECT found.owner_id AS owner_id FROM found LEFT JOIN outbox_counts AS counted ON counted.owner_id = found.owner_id
    WHERE counted.events <> found.events OR (counted.events IS NULL AND (found.events >= ${ADDED_AT} OR found.owner_id = ''))
  UNION ALL SELECT owner_id FROM outbox_counts WHERE owner_id <> '' AND owner_id NOT IN (SELECT owner_id FROM found)`

/** Counts the events of a database and compares the counts with `outbox_counts`. A repair writes all counts in one batch. */
async function compareOutbox({ databases, database, isRepair }: ReconcileContext): Promise<Finding[]> {
  const db = databases.whole(database)
  const found = isRepair
    ? (
        await db.write({
          found: wrong,
          removed: sql`DELETE FROM outbox_counts WHERE owner_id <> ''`,
          set: sql`INSERT INTO outbox_counts (owner_id, events) SELECT owner_id, events FROM (${recount})
            WHERE owner_id = '' OR events >= ${KEPT_FROM}
            ON CONFLICT (owner_id) DO UPDATE SET events = excluded.events`,
        })
      ).found
    : await db.read(wrong)
  return found.map(({ owner_id }) => ({
    problem: 'counters_differ',
    id: owner_id === '' ? 'outbox' : `outbox of ${owner_id}`,
    is_repaired: isRepair,
    ...(owner_id !== '' && { owner_id }),
  }))
}
