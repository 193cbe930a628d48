import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button as ExpandButton, GridListItem } from 'react-aria-components'
import { Icon } from '../controls/icon.tsx'
import { RowList } from '../controls/row-list.tsx'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { ancestryOf } from './ancestors.ts'
import { ASSETS, type Asset } from './asset.ts'
import { LineageNode } from './lineage-node.tsx'
import { rowsOf, treeOf } from './lineage-tree.ts'

interface Props {
  asset: Asset
  onOpen: (id: string) => void
}

/** The ancestors and branches of an asset, as a list that is drawn as a tree, whose branches are read when they are opened. */
export function Lineage({ asset, onOpen }: Props) {
  const { client } = useSession()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [ASSETS, 'ancestry', asset.id],
    queryFn: ({ signal }) => ancestryOf(client, asset, signal),
  })
  if (isPending) return <Waiting rows={4} />
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  return (
    <>
      {data.hidden && (
        <p className="quiet">
          The first one here was branched from version {data.hidden.version} of an asset that is deleted,
          private or blocked.
        </p>
      )}
      <LineageTree asset={asset} line={[...data.ancestors].reverse().concat(asset)} onOpen={onOpen} />
    </>
  )
}

/** How many branches of one asset the tree shows. The tab Branches has all. */
const BRANCHES_SHOWN = 20

/** `line`: the first ancestor, and so on down to the asset. */
function LineageTree({ asset, line, onOpen }: Props & { line: readonly Asset[] }) {
  const { client } = useSession()
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set(line.map(({ id }) => id)))
  const ids = [...expanded]
  const { branches, error, areMore } = useQueries({
    queries: ids.map((id) => ({
      queryKey: [ASSETS, 'first branches', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.assets.listBranches({ id, limit: BRANCHES_SHOWN }, { signal }).page(),
    })),
    combine: (answers) => ({
      branches: new Map(answers.map(({ data }, index) => [ids[index] ?? '', data?.branches])),
      error: answers.find((answer) => answer.error)?.error,
      areMore: answers.some(({ data }) => data && data.next_cursor !== null),
    }),
  })
  const root = treeOf(line, branches)
  if (!root) return null
  const rows = rowsOf(root, expanded)
  const levels = Math.max(1, ...rows.map(({ node }) => node?.trail.length ?? 0))
  // The lines of a deep tree are closer to each other, so that a phone has room for names beside them.
  const lineStyle = { maxWidth: `calc((100% - 13rem) / ${levels})` }
  const toggle = (id: string) =>
    setExpanded((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <>
      {error && <ErrorNote error={error} />}
      <RowList
        className="lineage"
        aria-label={`Lineage of ${asset.name}`}
        items={rows}
        dependencies={[expanded]}
        onAction={(key) => onOpen(String(key))}
      >
        {({ id, node }) =>
          node ? (
            <GridListItem id={id} textValue={node.asset.name} className="lineage-row">
              {node.trail.map((isLast, level) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column of the drawing, which is what its index says
                  key={level}
                  style={lineStyle}
                  className={lineOf(isLast, level === node.trail.length - 1)}
                />
              ))}
              {node.canExpand ? (
                <ExpandButton
                  className="lineage-expand"
                  aria-label={`Branches of ${node.asset.name}`}
                  aria-expanded={expanded.has(id)}
                  onPress={() => toggle(id)}
                >
                  <span className={expanded.has(id) ? 'turned' : 'unturned'}>
                    <Icon name="chevron" size={14} />
                  </span>
                </ExpandButton>
              ) : (
                <span className="lineage-expand" />
              )}
              <LineageNode asset={node.asset} isShown={id === asset.id} />
            </GridListItem>
          ) : (
            <GridListItem id={id} textValue="Branches" className="lineage-row">
              <span className="quiet small">Reading the branches …</span>
            </GridListItem>
          )
        }
      </RowList>
      {areMore && (
        <p className="quiet">
          Of each asset the {BRANCHES_SHOWN} newest branches are drawn. Its Branches lists all of them.
        </p>
      )}
    </>
  )
}

/** The line in a column left of a node: a corner that leads to the node, or a line that continues to a node further down. */
function lineOf(isLast: boolean, isOwn: boolean): string {
  if (isOwn) return isLast ? 'lineage-line corner' : 'lineage-line fork'
  return isLast ? 'lineage-line' : 'lineage-line through'
}
