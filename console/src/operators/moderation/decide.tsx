import { useMutation } from '@tanstack/react-query'
import type { WholeCase } from 'edge-game-storage-client/studio'
import { type FormEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { ratings } from '../../assets/rating.ts'
import { Button } from '../../controls/button.tsx'
import { Choice } from '../../controls/choice.tsx'
import { Select, TextField } from '../../controls/field.tsx'
import { showNotice } from '../../controls/notice.tsx'
import { ErrorNote } from '../../controls/status.tsx'
import { done, grounds } from '../../reports/words.ts'
import { isRefusal, useSession } from '../../session/session.tsx'
import { titleOf } from './cases.ts'
import { actionsFor, type Draft, type Drafts, inForce, newDraft } from './draft.ts'
import { moderatorOf } from './earlier.tsx'
import { Preview } from './preview.tsx'
import { TemplatesDialog } from './templates-dialog.tsx'

interface Props {
  found: WholeCase
  drafts: Drafts
  onDecided: () => void
}

/** The form of a decision, beside what its owner will read. What is typed stays while the moderator looks at other cases. */
export function Decide({ found, drafts, onDecided }: Props) {
  const { studio, changed } = useSession()
  const { id, target } = found
  const [draft, setDraft] = useState(() => drafts.get(id) ?? newDraft(found))
  const [areTemplatesShown, showTemplates] = useState(false)
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part }
    drafts.set(id, next)
    setDraft(next)
  }
  const { action, rating, ground, rule, statement, note, replaces } = draft
  const decide = useMutation({
    mutationFn: async () => {
      if (!action) return
      await studio.cases.decide({
        id,
        action,
        ground,
        statement: statement.trim(),
        rule: rule.trim() === '' ? null : rule.trim(),
        note: note.trim() === '' ? null : note.trim(),
        rating: action === 'rate' ? rating : null,
        replaces,
      })
    },
    onSuccess: async () => {
      drafts.delete(id)
      showNotice(`${titleOf(found)}: ${done[action ?? 'none'].toLowerCase()}.`)
      await changed('moderation')
      onDecided()
    },
    onError: (error) => isRefusal(error, 'CASE_DECIDED') && changed('moderation'),
  })
  const current = inForce(found)
  const isOther = (current?.id ?? null) !== replaces
  const canDecide = action !== undefined && statement.trim() !== '' && !isOther
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canDecide) decide.mutate()
  }
  const isConflict = isRefusal(decide.error, 'CASE_DECIDED')
  return (
    <section className="case-decide" aria-label="Decide">
      <Form className="stack" onSubmit={submit}>
        <h3>{current ? 'Decide anew' : 'Decide'}</h3>
        <Choice
          label="What is done"
          options={actionsFor(target.type)}
          value={action}
          onChange={(next) => change({ action: next })}
        />
        {action === 'rate' && (
          <Select
            label="Rating"
            options={ratings}
            value={rating}
            onChange={(next) => change({ rating: next })}
          />
        )}
        <div className="line case-why">
          <Select
            label="Because of"
            options={grounds}
            value={ground}
            onChange={(next) => change({ ground: next })}
          />
          <TextField
            label={ground === 'law' ? 'Which law' : 'Which clause'}
            placeholder={ground === 'law' ? 'StGB § 86a' : 'Terms of use, 4.2'}
            value={rule}
            onChange={(next) => change({ rule: next })}
            maxLength={200}
          />
        </div>
        <div className="case-statement">
          <TextField
            label="Statement: the facts and the reasons"
            value={statement}
            onChange={(next) => change({ statement: next })}
            maxLength={5_000}
            isLong
            isProse
            isRequired
          />
          <Button look="quiet" icon="text" onPress={() => showTemplates(true)}>
            Templates
          </Button>
        </div>
        <TextField
          label="Note, for moderators only"
          value={note}
          onChange={(next) => change({ note: next })}
          maxLength={2_000}
        />
        {isOther && (
          <div className="error-note" role="alert">
            <p>
              {current
                ? `${moderatorOf(current)} has decided meanwhile: ${done[current.action].toLowerCase()}. It is shown above. What you have typed is still here.`
                : 'The decision that this one was to replace has been lifted meanwhile. What you have typed is still here.'}
            </p>
            <Button
              onPress={() => {
                decide.reset()
                change({ replaces: current?.id ?? null })
              }}
            >
              {current ? 'Replace that decision' : 'Decide all the same'}
            </Button>
          </div>
        )}
        {decide.isError && !isConflict && <ErrorNote error={decide.error} />}
        <div>
          <Button type="submit" look="primary" isDisabled={!canDecide} isPending={decide.isPending}>
            Decide
          </Button>
        </div>
      </Form>
      <Preview found={found} draft={draft} />
      {areTemplatesShown && (
        <TemplatesDialog
          statement={statement}
          onUse={(text) =>
            change({ statement: statement.trim() === '' ? text : `${statement.trimEnd()}\n\n${text}` })
          }
          onClose={() => showTemplates(false)}
        />
      )}
    </section>
  )
}
