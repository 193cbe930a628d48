import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Report, type ReportCategory, ServiceError, type Target } from 'edge-game-storage-client'
import { type FormEvent, useState } from 'react'
import { Checkbox, Form, Link } from 'react-aria-components'
import { Button } from '../controls/button.tsx'
import { Choice } from '../controls/choice.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { TextField } from '../controls/field.tsx'
import { formatDay } from '../controls/format.ts'
import { ErrorNote } from '../controls/status.tsx'
import { useSession } from '../session/session.tsx'
import { usePlace } from '../shell/place.tsx'
import { SAFETY } from './keys.ts'
import { categories } from './words.ts'

interface Props {
  target: Target
  /** What it is called. */
  name: string
  onClose: () => void
}

const options = Object.fromEntries(Object.entries(categories).map(([name, text]) => [name, { text }]))

/** Reports an asset, a file or a player to the moderators, and then says what happens next. */
export function ReportDialog({ target, name, onClose }: Props) {
  const { client, changed } = useSession()
  const cache = useQueryClient()
  const [category, setCategory] = useState<ReportCategory>()
  const [text, setText] = useState('')
  const [isIllegal, setIllegal] = useState(false)
  // One report of a thing can be open at a time. Nobody has to write a second one to find that out.
  const earlier = useQuery({
    queryKey: [SAFETY, 'open report', target],
    queryFn: async ({ signal }) => {
      const { reports } = await client.reports.list({ limit: 100 }, { signal }).page()
      return reports.find((one) => one.state === 'open' && isSame(one.target, target)) ?? null
    },
    staleTime: 0,
  })
  const report = useMutation({
    mutationFn: (chosen: ReportCategory) =>
      client.reports.create({ target, category: chosen, text: text.trim() || null, is_illegal: isIllegal }),
    onSuccess: () => {
      // A report has no name, and a file that is shared can't be asked for it.
      cache.setQueryData([SAFETY, 'name', target.type, target.id], name)
      return changed('safety')
    },
  })
  const needsText = isIllegal || category === 'other'
  const canReport = category !== undefined && (!needsText || text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (category !== undefined && canReport) report.mutate(category)
  }
  if (report.data) {
    // Another window may have sent one meanwhile, which the service answers then.
    const { category: kept, text: keptText, is_illegal } = report.data
    const isNew = kept === category && (keptText ?? '') === text.trim() && is_illegal === isIllegal
    return <Reported report={report.data} name={name} isNew={isNew} onClose={onClose} />
  }
  if (earlier.data) return <Reported report={earlier.data} name={name} isNew={false} onClose={onClose} />
  return (
    <Dialog title={`Report ${name}`} isOpen onClose={onClose}>
      <Form className="stack" onSubmit={submit}>
        <Choice
          label="What is wrong?"
          options={options}
          value={category}
          onChange={setCategory}
          isGrid
          autoFocus
        />
        <Checkbox className="checkbox" isSelected={isIllegal} onChange={setIllegal}>
          <span className="box" />
          <span>
            I think this is illegal <span className="quiet">Say why, in the text below.</span>
          </span>
        </Checkbox>
        <TextField
          label={needsText ? 'What exactly, and where' : 'What exactly, and where (you may leave it out)'}
          value={text}
          onChange={setText}
          maxLength={2_000}
          isLong
          isProse
          isRequired={needsText}
          hint={
            isIllegal
              ? 'A notice of something illegal has to say why it is, so that somebody can check it.'
              : category === 'other'
                ? 'Without a category, only your words say what is wrong.'
                : undefined
          }
        />
        <div className="row dialog-actions">
          {report.isError && <ErrorNote error={report.error} text={whyNot(report.error)} />}
          <Button slot="close">Cancel</Button>
          <Button type="submit" look="primary" isDisabled={!canReport} isPending={report.isPending}>
            Report
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function isSame(one: Target, other: Target): boolean {
  return one.type === other.type && one.id === other.id
}

function whyNot(error: unknown): string | undefined {
  return error instanceof ServiceError && error.limit === 'reports'
    ? 'You have sent as many reports as one can in a day. Tomorrow you can send more.'
    : undefined
}

interface ReportedProps {
  report: Report
  name: string
  /** Whether it was sent now. */
  isNew: boolean
  onClose: () => void
}

/** What happens next with a report. */
function Reported({ report, name, isNew, onClose }: ReportedProps) {
  const { hrefOf } = usePlace()
  return (
    <Dialog title={isNew ? 'Reported' : 'You have reported it'} isOpen onClose={onClose}>
      {isNew ? (
        <p>
          A moderator will look at <bdi>{name}</bdi>. Its owner is not told who has reported it.
        </p>
      ) : (
        <p>
          Your report of {formatDay(report.created_at)} about <bdi>{name}</bdi> is open: a moderator has still
          to look at it.
        </p>
      )}
      <p>Your inbox will tell you what became of it. In Safety, My reports has it, too.</p>
      <div className="row dialog-actions">
        <Link className="button plain" href={hrefOf(['reports', report.id], {}, SAFETY)} onPress={onClose}>
          Open the report
        </Link>
        <Button look="primary" autoFocus slot="close">
          Done
        </Button>
      </div>
    </Dialog>
  )
}
