import type { WholeCase } from 'edge-game-storage-client/studio'
import { Statement } from '../../reports/statement.tsx'
import { outcomes } from '../../reports/words.ts'
import { type Draft, saidBy } from './draft.ts'

/** What the owner and the reporters will read of a decision, as it is written now. */
export function Preview({ found, draft }: { found: WholeCase; draft: Draft }) {
  const owner = found.owner_id ?? 'the owner'
  const { action, statement } = draft
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="case-preview" tabIndex={0} aria-label="Preview">
      <h3>
        What <bdi>{owner}</bdi> will read
      </h3>
      {action === undefined ? (
        <p className="quiet">Choose what is done.</p>
      ) : action === 'none' ? (
        <p>
          Nothing: <bdi>{owner}</bdi> is not told. The statement is for whoever looks at the case later.
        </p>
      ) : statement.trim() === '' ? (
        <Statement said={{ ...saidBy(draft, found), statement: '…' }} as="h3" />
      ) : (
        <Statement said={saidBy(draft, found)} as="h3" />
      )}
      {action !== undefined && found.report_count > 0 && (
        <>
          <h3>What whoever reported it will read</h3>
          <p>{outcomes[action]}</p>
        </>
      )}
    </section>
  )
}
