import type { Asset } from './asset.ts'

/** An asset in the tree. */
export interface TreeNode {
  id: string
  asset: Asset
  /** For each asset above but the first, and the asset itself: whether it is the last branch of the one above it. */
  trail: readonly boolean[]
  children: readonly TreeNode[]
  /** Whether it has branches, as far as known: those of a closed asset have not been read. */
  canExpand: boolean
}

/**
 * The tree of a line of ancestors and the branches that have been read, by the id of what they were branched from. An
 * asset of the line stands in it also when it is not among the branches that were read.
 */
export function treeOf(
  line: readonly Asset[],
  branches: ReadonlyMap<string, readonly Asset[] | undefined>,
): TreeNode | undefined {
  const next = new Map(line.map(({ id }, index) => [id, line[index + 1]]))
  const node = (asset: Asset, trail: readonly boolean[]): TreeNode => {
    const read = branches.get(asset.id) ?? []
    const inLine = next.get(asset.id)
    const below = inLine && !read.some(({ id }) => id === inLine.id) ? [inLine, ...read] : read
    const children = below.map((child, index) => node(child, [...trail, index === below.length - 1]))
    const canExpand = children.length > 0 || !branches.get(asset.id)
    return { id: asset.id, asset, trail, children, canExpand }
  }
  const [first] = line
  return first && node(first, [])
}
