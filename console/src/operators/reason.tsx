import { TextField } from '../controls/field.tsx'

/** Why an operator does something, for the audit. It may stay empty. */
export function ReasonField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <div className="reason">
      <TextField
        label="Reason, for the audit"
        value={value}
        onChange={onChange}
        maxLength={500}
        placeholder="Asked for by the player"
      />
    </div>
  )
}

/** The option of a request that gives a reason; none for an empty text. */
export function reasonFor(reason: string): { auditReason?: string } {
  const text = reason.trim()
  return text === '' ? {} : { auditReason: text }
}
