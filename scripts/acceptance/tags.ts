/** The tags of tests. */
export const tags = [
  { name: 'runtime', description: 'Needs the Workers runtime of the tests, and is left out against a URL' },
  {
    name: 'release',
    description:
      'Runs before a release, and not with each change: npm run prove -- release (docs/proofs.md#what-a-release-runs)',
  },
  { name: 'long', description: 'Takes a minute or an hour: npm run acceptance -- URL --profile full --long' },
]
