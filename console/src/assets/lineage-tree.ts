import type { Asset } from './asset.ts'

/** An asset in the tree. */
export interface TreeNode {
  id: string
  asset: Asset
  /** For each level from the second to the node's own: whether the node's ancestor there is the last of its siblings. */
  trail: readonly boolean[]
  children: readonly TreeNode[]
  /** Whether it has branches, or may have some that have not been read. */
  canExpand: boolean
}

/**
 * Makes the tree of a line of ancestors, and of the branches read so far, by the id of the asset that they were branched from.
 * Every asset of the line is in the tree, also if the branches that were read lack it.
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

/** A row of the drawing: a node, or without one the branches that are still to be read. */
interface TreeRow {
  id: string
  node?: TreeNode
}

/** The rows of a tree that are shown: a node is followed by its children while it is expanded. */
export function rowsOf(node: TreeNode, expanded: ReadonlySet<string>): TreeRow[] {
  if (!expanded.has(node.id)) return [{ id: node.id, node }]
  const below = node.children.flatMap((child) => rowsOf(child, expanded))
  const isUnread = node.canExpand && node.children.length === 0
  return [{ id: node.id, node }, ...(isUnread ? [{ id: `branches of ${node.id}` }] : below)]
}
