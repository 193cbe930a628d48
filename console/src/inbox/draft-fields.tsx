import { Select, TextField } from '../controls/field.tsx'
import { JsonField } from '../controls/json-field.tsx'
import { OwnTypeField } from '../controls/own-type-field.tsx'
import { useDeveloperView } from '../shell/developer-view.ts'
import { asOwn, type Draft, isTemplate, lifetimes, regions, templates } from './draft.ts'

interface Props {
  draft: Draft
  onChange: (draft: Draft) => void
}

/** The fields of a notification: a template with what it needs, in the Developer view also JSON and the region, and how long it is kept. */
export function DraftFields({ draft, onChange }: Props) {
  const isDeveloper = useDeveloperView()
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  const { template } = draft
  const options: Record<string, string> = { ...templates }
  if (isDeveloper || template === 'own') options.own = 'An own type, as JSON'
  return (
    <>
      <Select<string>
        label="Template"
        options={options}
        value={template}
        onChange={(chosen) => (isTemplate(chosen) ? set({ template: chosen }) : onChange(asOwn(draft)))}
      />
      <TemplateFields draft={draft} set={set} />
      <Select
        label="How long it is kept"
        options={lifetimes}
        value={draft.lifetime}
        onChange={(lifetime) => set({ lifetime })}
      />
      {isDeveloper && (
        <Select
          label="Where a new inbox is made"
          options={regions}
          hint="An inbox never moves"
          value={draft.region}
          onChange={(region) => set({ region })}
        />
      )}
    </>
  )
}

/** The fields of what a notification says. */
export function TemplateFields({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
  const { template, title, text, item, match, from, ownType, data } = draft
  const note = <TextField label="Text" value={text} onChange={(typed) => set({ text: typed })} isLong />
  const sender = (
    <TextField
      label="From, by display name"
      value={from}
      onChange={(typed) => set({ from: typed })}
      isRequired
    />
  )
  switch (template) {
    case 'message':
      return (
        <>
          <TextField label="Title" value={title} onChange={(typed) => set({ title: typed })} isRequired />
          {note}
        </>
      )
    case 'gift':
      return (
        <>
          <TextField label="Item" value={item} onChange={(typed) => set({ item: typed })} isRequired />
          {note}
        </>
      )
    case 'turn':
      return (
        <>
          <TextField label="Match" value={match} onChange={(typed) => set({ match: typed })} isRequired />
          {sender}
        </>
      )
    case 'own':
      return (
        <>
          <OwnTypeField value={ownType} onChange={(typed) => set({ ownType: typed })} />
          <JsonField label="Data, as a JSON object" value={data} onChange={(typed) => set({ data: typed })} />
        </>
      )
    default:
      return sender
  }
}
