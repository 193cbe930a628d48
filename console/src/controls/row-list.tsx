import type { RefAttributes } from 'react'
import { GridList, type GridListProps } from 'react-aria-components'

type Props<Item> = GridListProps<Item> & RefAttributes<HTMLDivElement>

/** A list of rows. The arrow keys go from row to row, and Tab to the buttons of a row, the same in every list. */
export function RowList<Item extends object>(props: Props<Item>) {
  return <GridList keyboardNavigationBehavior="tab" {...props} />
}
