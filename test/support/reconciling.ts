import { env } from 'cloudflare:test'
import { stages } from '../../src/operators/reconcile/names.ts'
import type { Finding } from '../../src/operators/reconcile/page.ts'
import { reconcilePage } from '../../src/operators/reconcile/reconcile.ts'
import type { Config } from '../../src/platform/config/variables.ts'
import type { CacheTag } from '../../src/platform/pictures/edge-cache.ts'
import { FIRST } from '../../src/platform/shards/map.ts'
import { contextOf } from './context.ts'
import { databaseNames } from './databases.ts'
import { newUserId } from './ids.ts'

interface Options {
  repair?: boolean
  accept_missing?: boolean
  /** How many days from now. */
  days?: number
  limits?: Partial<Config>
  bucket?: R2Bucket
}

/** Compares everything, page by page, as the command does. Returns what was found, why pages were not repaired, and the pictures that ended. */
export async function reconcile({
  repair = false,
  accept_missing = false,
  days = 0,
  limits = {},
  bucket = env.BUCKET,
}: Options = {}): Promise<{ found: Finding[]; refused: string[]; ended: CacheTag[] }> {
  const [found, refused, ended]: [Finding[], string[], CacheTag[]] = [[], [], []]
  // The erasures are those of all databases.
  for (const stage of stages)
    for (const database of stage === 'erasures' ? [FIRST] : databaseNames)
      for (let after: string | null = ''; after !== null; ) {
        const ctx = contextOf(newUserId(), { now_ms: Date.now() + days * 86_400_000, bucket, ended }, limits)
        const page = await reconcilePage(ctx, { database, stage, after, repair, accept_missing })
        found.push(...page.found)
        if (page.refused !== undefined) refused.push(page.refused)
        after = page.next
      }
  return { found, refused, ended }
}

/** How often each problem was found. */
export function counted(found: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { problem } of found) counts[problem] = (counts[problem] ?? 0) + 1
  return counts
}
