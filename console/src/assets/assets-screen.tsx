import { Empty } from '../controls/status.tsx'

/** The user's own worlds, avatars and props. */
export function AssetsScreen() {
  return (
    <Empty icon="box" title="No assets yet">
      Create one.
    </Empty>
  )
}
