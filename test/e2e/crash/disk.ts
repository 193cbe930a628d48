import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from '@hono/zod-openapi'
import { contradictions } from './contradictions.ts'

/** Where the simulator keeps what, below its state directory. */
const places = {
  d1: 'v3/d1/miniflare-D1DatabaseObject',
  r2: 'v3/r2/miniflare-R2BucketObject',
  inboxes: 'v3/do/edge-game-storage-Inbox',
  blobs: 'v3/r2/edge-game-storage/blobs',
}

const Rows = z.array(z.record(z.string(), z.unknown()))

/** What lies on the disk of a server that is off. */
export interface Disk {
  /** What contradicts itself; empty, at whatever moment the server was killed. */
  torn: string[]
  /** Objects that no record refers to, by why they may be there. */
  unreferenced: {
    /** They came for an upload that is open. */
    awaited: string[]
    /** They have been given up, and the job has yet to remove them: it may do so now, or not yet. */
    due: string[]
    kept: string[]
    /**
     * Previews whose request was cut off between object and row. The walk through the bucket removes them, which goes by the time in
     * their keys (src/features/content/orphans.ts): no two days pass for it here.
     */
    cutOff: string[]
    /** For no reason. */
    stray: string[]
  }
  /** Where the kill has cut what takes several steps: counts of what is between its steps. */
  between: { completing: number; joined: number; purging: number; given_up: number }
  /** Multipart uploads that were begun, and no record knows. */
  strayMultiparts: number
  /** Blobs that no object refers to: the simulator removes them after the object, and a kill comes between. */
  strayBlobs: number
  /** The garbage list, without content that waits for the branches of other partitions that share it. */
  garbage: unknown[]
  rows: {
    garbage: number
    /** What the job has yet to do for the catalogue and the favorites. */
    waiting: number
    erasures: number
    references: number
    objects: number
  }
}

/**
 * Looks at the database, the bucket and the inboxes as a kill has left them, on a copy, so that the server finds them
 * as they are. What is due by `as_of` (Unix seconds) counts as due.
 */
export async function inspect(state: string, as_of: number): Promise<Disk> {
  const copy = await mkdtemp(join(tmpdir(), 'edge-game-storage-disk-'))
  try {
    const torn: string[] = []
    for (const place of ['d1', 'r2', 'inboxes'] as const) {
      await cp(join(state, places[place]), join(copy, place), { recursive: true })
      for (const file of await databases(join(copy, place))) torn.push(...integrity(file))
    }
    const database = new DatabaseSync(await theOne(join(copy, 'd1')))
    database.prepare('ATTACH ? AS bucket').run(await theOne(join(copy, 'r2')))
    const rows = (sql: string) => Rows.parse(database.prepare(sql).all())
    const texts = (sql: string) => rows(sql).map((row) => String(row.text))
    const count = (sql: string) => Number(rows(`SELECT count(*) AS count FROM ${sql}`)[0]?.count)
    const blobs = await blobsOf(join(state, places.blobs))
    torn.push(
      ...Object.entries(contradictions).flatMap(([what, sql]) =>
        texts(sql).map((text) => `${what}: ${text}`),
      ),
    )
    const known = z
      .array(z.object({ blob_id: z.string(), size: z.int(), key: z.string() }))
      .parse(rows(blobsInUse))
    for (const { blob_id, size, key } of known)
      if (blobs.get(blob_id) !== size)
        torn.push(`object ${key}: ${size} bytes, its blob has ${blobs.get(blob_id)}`)
    const garbage = rows(`SELECT * FROM garbage WHERE NOT (is_version = 1 AND deleting = 0
      AND object_key IN (SELECT object_key FROM asset_versions))`)
    const disk = {
      torn,
      unreferenced: {
        awaited: texts(`${unreferenced} AND key IN (${openUploads})`),
        due: texts(`${unreferenced} AND key IN (SELECT object_key FROM garbage WHERE next_at <= ${as_of})`),
        kept: texts(`${unreferenced} AND key IN (SELECT object_key FROM garbage WHERE next_at > ${as_of})`),
        cutOff: texts(`${unowned} AND ${isPreview}`),
        stray: texts(`${unowned} AND NOT ${isPreview}`),
      },
      between: {
        completing: count(`uploads WHERE state = 'completing'`),
        joined: count(`uploads JOIN bucket._mf_objects ON key = id
          WHERE uploads.state IN ('open', 'completing') AND multipart_id IS NOT NULL`),
        purging: count('files WHERE purging = 1') + count('game_assets WHERE purging = 1'),
        given_up: count('garbage JOIN bucket._mf_objects ON key = object_key WHERE next_at = 0'),
      },
      strayMultiparts: count(
        `bucket._mf_multipart_uploads WHERE state = 0
        AND upload_id NOT IN (SELECT multipart_id FROM uploads WHERE multipart_id IS NOT NULL
          UNION ALL SELECT multipart_id FROM garbage WHERE multipart_id IS NOT NULL)`,
      ),
      strayBlobs: blobs.size - known.length,
      garbage,
      rows: {
        garbage: garbage.length,
        waiting:
          count('catalogue_marks') +
          count('favorite_recounts') +
          count('catalogue_hidden_owners') +
          count('catalogue_entries WHERE removed_at IS NOT NULL'),
        erasures: count('erasures'),
        references: count(`(SELECT object_key FROM files WHERE object_key IS NOT NULL
          UNION SELECT object_key FROM asset_versions UNION ${previews} UNION ${markers})`),
        objects: count(`bucket._mf_objects WHERE key <> '.pairing' AND key NOT LIKE 'erased/%'`),
      },
    }
    database.close()
    return disk
  } finally {
    await rm(copy, { recursive: true })
  }
}

const openUploads = `SELECT id FROM uploads WHERE state IN ('open', 'completing')`

/**
 * Moves everything that waits for its time two days into the past: as if the server had been off for so long. The one
 * thing that this test does not wait for, because R2's URLs are given a day to come to their end.
 */
export async function letTwoDaysPass(state: string): Promise<void> {
  const database = new DatabaseSync(await theOne(join(state, places.d1)))
  database.prepare('ATTACH ? AS bucket').run(await theOne(join(state, places.r2)))
  database.exec(`
    UPDATE garbage SET next_at = next_at - ${TWO_DAYS}, writable_until = writable_until - ${TWO_DAYS};
    UPDATE favorite_recounts SET due_at = due_at - ${TWO_DAYS};
    UPDATE catalogue_entries SET removed_at = removed_at - ${TWO_DAYS} WHERE removed_at IS NOT NULL;
    UPDATE catalogue_hidden_owners SET hidden_at = hidden_at - ${TWO_DAYS};
    UPDATE erasures SET until = until - ${TWO_DAYS}, next_at = next_at - ${TWO_DAYS} * 1000;
    UPDATE bucket._mf_objects SET uploaded = uploaded - ${TWO_DAYS} * 1000;
    DELETE FROM progress WHERE task = 'marker_walk';
  `)
  database.close()
}

const TWO_DAYS = 2 * 24 * 60 * 60

/** The markers that versions with content of another partition need. */
const markers = `SELECT 'refs/' || object_key || '/' || asset_id FROM asset_versions
  WHERE substr(object_key, 21, 3) <> substr(asset_id, 21, 3)`

const previews = 'SELECT preview_key FROM game_assets WHERE preview_key IS NOT NULL'

/** Objects that no record refers to. */
const unreferenced = `SELECT key AS text FROM bucket._mf_objects
  WHERE key <> '.pairing' AND key NOT LIKE 'erased/%' AND key NOT IN (SELECT object_key FROM files WHERE object_key IS NOT NULL)
    AND key NOT IN (SELECT object_key FROM asset_versions) AND key NOT IN (${previews}) AND key NOT IN (${markers})`

const unowned = `${unreferenced} AND key NOT IN (SELECT object_key FROM garbage) AND key NOT IN (${openUploads})`

/** Of an object: its metadata name the asset whose preview it was to be (src/features/content/store.ts). */
const isPreview = `coalesce(custom_metadata ->> '$.asset', '') <> ''`

const blobsInUse = `SELECT blob_id, size, key FROM bucket._mf_objects WHERE blob_id IS NOT NULL
  UNION ALL SELECT blob_id, size, coalesce(object_key, upload_id) FROM bucket._mf_multipart_parts`

function integrity(file: string): string[] {
  const database = new DatabaseSync(file)
  const found = [
    ...database.prepare('PRAGMA integrity_check').all(),
    ...database.prepare('PRAGMA foreign_key_check').all(),
  ].map((row) => JSON.stringify(row))
  database.close()
  return found.filter((row) => row !== '{"integrity_check":"ok"}').map((row) => `${file}: ${row}`)
}

async function databases(directory: string): Promise<string[]> {
  const files = await readdir(directory)
  return files.filter((file) => file.endsWith('.sqlite')).map((file) => join(directory, file))
}

/** The database of the one object that the simulator has for the binding. */
async function theOne(directory: string): Promise<string> {
  const found = (await databases(directory)).filter((file) => !file.endsWith('metadata.sqlite'))
  const [file] = found
  if (file === undefined || found.length > 1)
    throw new Error(`one database was to be in ${directory}: ${found}`)
  return file
}

/** The length of each blob, by its name. */
async function blobsOf(directory: string): Promise<Map<string, number>> {
  const names = await readdir(directory).catch(() => [])
  const sizes = names.map(
    async (name): Promise<[string, number]> => [name, (await stat(join(directory, name))).size],
  )
  return new Map(await Promise.all(sizes))
}
