/** The tags of tests. */
export const tags = [
  { name: 'runtime', description: 'Needs the Workers runtime of the tests, and is left out against a URL' },
  { name: 'long', description: 'Takes a minute or an hour: npm run acceptance -- URL --profile full --long' },
]
