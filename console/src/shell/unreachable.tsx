import { Button } from '../controls/button.tsx'
import { tryNow, useReachable } from '../session/reachability.ts'

/** Says, while it is so, that the service does not answer. What failed meanwhile is read again once it does. */
export function Unreachable() {
  const isReachable = useReachable()
  return (
    <div role="status">
      {!isReachable && (
        <div className="row unreachable">
          <span className="spread">
            {navigator.onLine
              ? 'The service does not answer. What you see may be old; the console goes on by itself once it does.'
              : 'You are offline. What you see may be old; the console goes on by itself once you are back.'}
          </span>
          <Button onPress={tryNow}>Try now</Button>
        </div>
      )}
    </div>
  )
}
