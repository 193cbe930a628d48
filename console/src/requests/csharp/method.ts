/** How an operation is called. methods.ts has one for each, made of the description. */
export interface Method {
  /** The types of the parameters of the path, in order. */
  path: Record<string, string>
  /** The model of a JSON body. */
  body?: string
  sendsContent?: true
  /** The types of the parameters of the query and of the headers that are no options. */
  query?: Record<string, string>
  options?: string
  /** Whether it takes a reason for the audit. */
  takesReason?: true
  /** The type of the answer; none without a body. */
  answer?: string
  isList?: true
}

/**
 * The types of a model's members: `text`, `number`, `boolean`, `time`, `duration`, `json` (its text), `enum NAME`, `model NAME`, `constant TEXT`, and
 * `list` before one of these. A list of names: a request sends one of these models.
 */
export type Shape = Record<string, string> | string[]
