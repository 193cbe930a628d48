import type { BatchResults } from 'edge-game-storage-client'
import { useDeveloperView } from '../shell/developer-view.ts'

type Result = BatchResults['results'][number]

/** The outcome of a batch for each recipient, in the order asked for. */
export function Outcomes({ results }: { results: readonly Result[] }) {
  const isDeveloper = useDeveloperView()
  const published = results.filter(({ code }) => code === undefined).length
  return (
    <>
      <p role="status">
        Published to {published} of {results.length}.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="outcomes" tabIndex={0} aria-label="Outcomes">
        <table className="outcome-table">
          <tbody>
            {results.map(({ user_id, notification_id, code }) => (
              <tr key={user_id}>
                <th scope="row">{user_id}</th>
                <td className={code === undefined ? 'good' : 'bad'}>{code ?? 'published'}</td>
                {isDeveloper && <td className="quiet">{notification_id}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}
