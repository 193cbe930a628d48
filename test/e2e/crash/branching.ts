import { type Act, codeOf, type Requests } from '../../proofs/model/act.ts'
import { branches } from '../../proofs/model/branching.ts'
import type { Actor } from './actor.ts'
import type { Source } from './run.ts'

/** Branches a version. Somebody else's asset is as it was when it was chosen, or may be hidden or deleted meanwhile. */
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
      if (isFirst && codeOf(answer) === 'ASSET_NOT_FOUND') return
      world.assets.set(source.id, source)
      world.objects.set(version.content, content)
      act.judge(world, answer)
      world.assets.delete(source.id)
    },
  }
}
