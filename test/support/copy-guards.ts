/** The headers that keep a signed PUT of a part from becoming a copy, as docs/configuration.md names them. */
export const partGuards = ['x-amz-copy-source-if-match', 'x-amz-source-expected-bucket-owner'] as const

/** Those of a signed PUT of a whole object. */
export const putGuards = ['x-amz-metadata-directive', ...partGuards] as const
