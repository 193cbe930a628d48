const text = { type: 'string' }

/** The headers of responses, as components of the description. A required header is in every response that refers to it. */
export const headers = {
  'X-Request-Id': {
    required: true,
    description: 'The id of this request, also in the log',
    schema: { ...text, example: '7d0e3b0a-2f64-4f0e-9d5a-5f6b1c1e8a52' },
  },
  'X-D1-Bookmark': {
    description:
      'Send the greatest, as text, with the next request, whose answer then includes the effects of this one',
    schema: { ...text, example: '00000001-00000002-00004e2f-0f2ab1c9d4e5f60718293a4b5c6d7e8f' },
  },
  'X-Inbox-Seq': {
    required: true,
    description:
      'The seq of the inbox at the time of the answer. A socket with this `after` reports every later change',
    schema: { ...text, example: '42' },
  },
  ETag: {
    required: true,
    description: 'The entity tag of the record as it is now, for If-Match',
    schema: { ...text, example: '"3"' },
  },
  'Content-Disposition': {
    required: true,
    description: 'Whether a browser shows or saves the content, and the name of the file (RFC 6266)',
    schema: { ...text, example: 'inline; filename="forest.png"' },
  },
  'Save-Device': {
    description: 'The device that wrote the save, in percent-encoded UTF-8',
    schema: { ...text, example: 'Ada%E2%80%99s%20phone' },
  },
  'Save-Label': {
    description: 'What the player calls the save, in percent-encoded UTF-8',
    schema: { ...text, example: 'The%20old%20mill' },
  },
  'Save-Played-Seconds': {
    description: 'How long the player has played, in seconds',
    schema: { type: 'integer', format: 'int64', example: 7_200 },
  },
  Location: {
    required: true,
    description: 'The path of the created resource',
    schema: { ...text, example: '/v1/files/019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
  },
  'Retry-After': {
    description: 'With 429 and 503: how long to wait before a repetition, in seconds',
    schema: { type: 'integer', format: 'int32', example: 60 },
  },
  'WWW-Authenticate': {
    description: 'With 401 and 403: what was wrong with the token (RFC 6750)',
    schema: { ...text, example: 'Bearer error="invalid_token"' },
  },
} as const

/** The name of a header of the components. */
export type HeaderName = keyof typeof headers

/** The names of all headers of the components. */
export const headerNames = Object.keys(headers).filter((name): name is HeaderName => name in headers)

/** A header that only some answers of a status have. */
export type OptionalHeader = `${HeaderName}?`

/** The headers of a response: references to those of the components, and the optional ones themselves. */
export function references(...names: (HeaderName | OptionalHeader)[]): Record<string, DescribedHeader> {
  return Object.fromEntries(
    names.map((name) => {
      const header = headerNames.find((one) => name === `${one}?`)
      if (header === undefined) return [name, { $ref: `#/components/headers/${name}` }]
      const { description, schema } = headers[header]
      return [header, { description, schema }]
    }),
  )
}

type DescribedHeader = { $ref: string } | { description: string; schema: { type: 'string' | 'integer' } }
