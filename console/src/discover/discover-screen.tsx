import { Empty } from '../controls/status.tsx'

/** The public assets of everybody. */
export function DiscoverScreen() {
  return (
    <Empty icon="globe" title="Nothing public yet">
      Publish one.
    </Empty>
  )
}
