import { Button } from '../controls/button.tsx'

/** Says in a form that the asset was changed after it had been opened. `onLoad` opens it anew. */
export function Outdated({ onLoad }: { onLoad: () => void }) {
  return (
    <div className="row outdated">
      <p className="spread">
        The asset was changed after this form had been opened. Load it again to edit its present state: what
        is written here is then lost.
      </p>
      <Button icon="restore" onPress={onLoad}>
        Load again
      </Button>
    </div>
  )
}
