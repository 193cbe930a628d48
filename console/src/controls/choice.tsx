import { Label, Radio, RadioGroup } from 'react-aria-components'

interface Props<Value extends string> {
  label: string
  /** What each choice is called, and where it needs words, what it does. */
  options: Readonly<Partial<Record<Value, { text: string; hint?: string }>>>
  /** Undefined: nothing is chosen yet. */
  value: Value | undefined
  onChange: (value: Value) => void
  /** Whether the choices are side by side where there is room. */
  isGrid?: boolean
  /** Whether the first choice has the focus at first. */
  autoFocus?: boolean
}

/** A choice of one option of several, all of which are in sight. */
export function Choice<Value extends string>(props: Props<Value>) {
  const { label, options, value, onChange, isGrid = false, autoFocus = false } = props
  const isOption = (name: string): name is Value => Object.hasOwn(options, name)
  return (
    <RadioGroup
      className="field"
      value={value ?? null}
      onChange={(name) => isOption(name) && onChange(name)}
      isRequired
    >
      <Label>{label}</Label>
      <div className={isGrid ? 'choices in-grid' : 'choices'}>
        {Object.entries<{ text: string; hint?: string } | undefined>(options).map(
          ([name, option], index) =>
            option && (
              <Radio key={name} value={name} className="choice" autoFocus={autoFocus && index === 0}>
                <span className="radio-mark" />
                <span>
                  {option.text} {option.hint !== undefined && <span className="quiet">{option.hint}</span>}
                </span>
              </Radio>
            ),
        )}
      </div>
    </RadioGroup>
  )
}
