import type { ModeratorsDecision } from 'edge-game-storage-client/studio'
import { done, grounds, nouns } from '../../reports/words.ts'
import { When } from '../when.tsx'

interface Props {
  decisions: readonly ModeratorsDecision[]
  /** The id of the case's own last decision, which is shown elsewhere. */
  own: string | undefined
  /** Whether the case is about a player. */
  isOfPlayer: boolean
}

/** Earlier decisions about the same owner, the last first. */
export function Earlier({ decisions, own, isOfPlayer }: Props) {
  const earlier = decisions.filter(({ id }) => id !== own)
  return (
    <section className="part stack" aria-label="Earlier decisions">
      <h3>{isOfPlayer ? 'Earlier about this player' : 'Earlier about this owner'}</h3>
      {earlier.length === 0 ? (
        <p className="quiet">Nothing was decided before.</p>
      ) : (
        <ul className="case-list">
          {earlier.map((decision) => (
            <li key={decision.id}>
              <details className="case-more">
                <summary>
                  <b>{done[decision.action]}</b>: <bdi>{decision.name ?? nouns[decision.target.type]}</bdi>{' '}
                  <span className="quiet small">
                    <When at={decision.created_at} />
                    {decision.lifted_at !== null && ', lifted'}
                  </span>
                </summary>
                <p className="case-text">
                  <bdi>{decision.statement}</bdi>
                </p>
                <p className="quiet small">
                  {grounds[decision.ground]}
                  {decision.rule !== null && (
                    <>
                      {' · '}
                      <bdi>{decision.rule}</bdi>
                    </>
                  )}
                  {' · by '}
                  {moderatorOf(decision)}
                </p>
                {decision.note !== null && (
                  <p className="quiet small">
                    Note: <bdi>{decision.note}</bdi>
                  </p>
                )}
              </details>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Who has decided. */
export function moderatorOf({ moderator_id, is_automated }: ModeratorsDecision): string {
  return moderator_id ?? (is_automated ? 'a machine' : 'a moderator who has been erased')
}
