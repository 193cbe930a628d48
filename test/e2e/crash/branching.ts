import { z } from '@hono/zod-openapi'
import { type Act, codeOf, type Requests } from '../../proofs/model/act.ts'
import { branches } from '../../proofs/model/branching.ts'
import type { Actor } from './actor.ts'
import type { Source } from './run.ts'

/** What a branch has of its source's page. */
const Copied = z.object({ asset: z.object({ description: z.string(), tags: z.array(z.string()) }) })

/**
 * Branches a version. Somebody else's asset is as it was when it was chosen, or may be hidden or deleted meanwhile, or the version may
 * be. Its page may have changed: which one the branch has, the answer tells.
 */
export function branchesSource(
  { user }: Actor,
  { asset, version, content }: Source,
  name: string,
  key: string,
): Act<Requests> {
  const json = { name, from_version: version.version }
  const act = branches(user, asset.id, json, key)
  if (asset.owner_id === user) return act
  const source = structuredClone(asset)
  return {
    ...act,
    judge: (world, answer) => {
      const isFirst = !world.keys.has(`${user} ${key}`)
      const code = codeOf(answer)
      if (isFirst && (code === 'ASSET_NOT_FOUND' || code === 'VERSION_NOT_FOUND')) return
      const { asset: page } = Copied.safeParse(answer.body).data ?? {}
      world.assets.set(source.id, {
        ...source,
        ...(page && { description: page.description, tags: page.tags }),
      })
      world.objects.set(version.content, content)
      act.judge(world, answer)
      world.assets.delete(source.id)
    },
  }
}
